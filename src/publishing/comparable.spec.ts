import { MAX_COMPARED } from '../common/limits';
import { comparable } from './comparable';

const LONG = 'x'.repeat(MAX_COMPARED + 1);
const CUT = 'x'.repeat(MAX_COMPARED);

describe('comparable', () => {
  it('truncates texts, including those in lists and objects', () => {
    const query = Object.assign(Object.create(null) as object, { a: LONG, constructor: 'b' });
    const given = { url: LONG, plans: ['a', LONG, 1], query, other: { a: 'b' }, age: 5, none: null };
    const cut = comparable(given);
    expect(cut).toEqual({ ...given, url: CUT, plans: ['a', CUT, 1], query: { a: CUT, constructor: 'b' } });
    expect(Object.getPrototypeOf(cut.query)).toBeNull();
    expect(cut.other).toBe(given.other);
  });

  it('does not traverse anything but plain data', () => {
    const proxy = new Proxy({}, { has: () => true, get: () => true });
    const endless: Record<string, unknown> = { text: LONG };
    endless.itself = endless;
    class Own {
      text = LONG;
    }
    const own = new Own();
    const cut = comparable({ javascript: proxy, endless, own, ['__proto__']: LONG });
    expect([cut.javascript, cut.own]).toEqual([proxy, own]);
    expect((cut.endless as Record<string, unknown>).text).toBe(CUT);
  });
});
