import { validate, version } from 'uuid';
import { newId } from './ids';

describe('the ids of a page', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are UUIDs in order of creation, even if many are created at once or the clock is set back', () => {
    const clock = jest.spyOn(Date, 'now');
    const ids = [5_000, 5_000, 4_000, 5_002, 5_020].flatMap((ahead) => {
      clock.mockReturnValue(Date.UTC(2100, 0, 1) + ahead);
      return Array.from({ length: 5_000 }, newId);
    });
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(parseInt(ids[ids.length - 1].replace('-', '').slice(0, 12), 16)).toBe(
      Date.UTC(2100, 0, 1) + 5_021,
    );
  });
});
