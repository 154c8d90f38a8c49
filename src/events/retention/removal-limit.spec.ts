import { DAY_MICROS } from '../../common/time/clock';
import { type KeptFor, removalLimit } from './removal-limit';

const NOW = 100 * DAY_MICROS;
const HOUR = DAY_MICROS / 24;

/** An experiment that ran from day 10 to day 20 and is final. */
const final: KeptFor = {
  id: 1,
  archivedAt: 20 * DAY_MICROS,
  startedAt: 10 * DAY_MICROS,
  seenFrom: 10 * DAY_MICROS + HOUR,
  seenUntil: 20 * DAY_MICROS,
  isCurrent: true,
};

const limitOf = (...experiments: KeptFor[]) => removalLimit(experiments, 30, NOW);

describe('events may be removed', () => {
  it('if they are older than the retention period and belong only to final results', () => {
    expect(limitOf(final)).toEqual({
      before: 70 * DAY_MICROS,
      losing: [{ id: 1, until: 20 * DAY_MICROS + 1 }],
    });
  });

  it.each<[string, Partial<KeptFor>]>([
    ['is not archived', { archivedAt: null }],
    ['still accepts late events', { archivedAt: NOW - 3 * DAY_MICROS }],
    ['became final less than an hour ago', { archivedAt: NOW - 3 * DAY_MICROS - HOUR + 1 }],
    ['has to be counted again under other rules', { isCurrent: false }],
  ])('only before the start of an experiment that %s', (_, fields) => {
    expect(limitOf({ ...final, ...fields })).toEqual({ before: 10 * DAY_MICROS, losing: [] });
  });

  it('only before the first exposure of an experiment that never ran', () => {
    const never = { ...final, archivedAt: null, startedAt: null };
    expect(limitOf(never).before).toBe(10 * DAY_MICROS + HOUR);
  });

  it('only before the whole millisecond in which an experiment starts', () => {
    expect(limitOf({ ...final, archivedAt: null, startedAt: 5_999 }).before).toBe(5_000);
  });

  it('without loss for a final result whose first exposure is at the limit', () => {
    expect(limitOf({ ...final, seenFrom: 70 * DAY_MICROS }).losing).toEqual([]);
    expect(limitOf({ ...final, seenFrom: 70 * DAY_MICROS - 1 }).losing).toHaveLength(1);
  });

  it('of a final result up to the start of an experiment that is not final', () => {
    const other = { ...final, id: 2, archivedAt: null, startedAt: 15 * DAY_MICROS, seenFrom: null };
    expect(limitOf(final, other)).toEqual({
      before: 15 * DAY_MICROS,
      losing: [{ id: 1, until: 15 * DAY_MICROS }],
    });
  });
});
