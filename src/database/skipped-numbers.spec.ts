import { SECOND_MICROS } from '../common/time/clock';
import { numbersToSkip } from './skipped-numbers';

const MINUTE = 60 * SECOND_MICROS;
const BACKUP = 1_790_000_000 * SECOND_MICROS;

describe('after a restore, the server skips', () => {
  it('more numbers than were assigned after the backup', () => {
    expect(numbersToSkip(BACKUP, BACKUP)).toBe(1_000_000);
    expect(numbersToSkip(null, BACKUP)).toBe(1_000_000);
  });

  it('more numbers when the same backup is restored again later, by 100 for each minute between', () => {
    const [first, second] = [5, 15].map((minutes) => numbersToSkip(BACKUP, BACKUP + minutes * MINUTE));
    expect(second - first).toBe(1_000);
  });

  it('the usual number if the clock is set back', () => {
    expect(numbersToSkip(BACKUP, BACKUP - MINUTE)).toBe(1_000_000);
  });
});
