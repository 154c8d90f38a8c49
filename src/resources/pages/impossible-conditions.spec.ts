import { impossibleConditions } from './impossible-conditions';
import type { PageCondition, PageMatch } from './page-conditions';
import { compilePage, pageMatches } from './page-matching';

const condition = (match: PageMatch, value: string, negate = false): PageCondition => ({
  match,
  value,
  negate,
});
const URLS = ['https://shop.example/cart', 'http://shop.example/cart', 'https://shop.example/'];

describe('impossibleConditions', () => {
  it.each([
    ['starts_with', '/cart'],
    ['starts_with', 'shop.example'],
    ['starts_with', 'shop.example/cart'],
    ['starts_with', 'shop.example:443/cart'],
    ['exact', '/cart'],
    ['exact', 'shop.example/cart'],
    ['exact', 'https'],
    ['exact', 'shop.example:443'],
    ['exact', 'shop.example:443/cart'],
    ['exact', 'localhost:3000/cart'],
  ] as const)('names the condition %s %s', (match, value) => {
    const conditions = [condition(match, value)];
    expect(impossibleConditions(conditions)).toEqual([
      `“${value}” never matches. With this comparison, the value must begin with the scheme, such as https://, because a whole URL does.`,
    ]);
    expect(URLS.filter((url) => pageMatches(compilePage(conditions), url))).toEqual([]);
  });

  it.each([
    ['starts_with', 'app', 'app://cart'],
    ['starts_with', 'app:', 'app://cart'],
    ['starts_with', 'app:/', 'app://cart'],
    ['starts_with', 'capacitor:', 'capacitor://localhost/'],
    ['starts_with', 'capacitor://', 'capacitor://localhost/'],
    ['starts_with', 'about:bl', 'about:blank'],
    ['exact', 'about:blank', 'about:blank'],
    ['exact', 'mailto:a@shop.example', 'mailto:a@shop.example'],
    ['exact', 'file:/cart', 'file:///cart'],
  ] as const)('has no objection to the condition %s %s, which matches %s', (match, value, url) => {
    expect(pageMatches(compilePage([condition(match, value)]), url)).toBe(true);
    expect(impossibleConditions([condition(match, value)])).toEqual([]);
  });

  it.each([
    ['starts_with', 'https://shop.'],
    ['starts_with', 'HTTPS://Shop.example'],
    ['starts_with', 'http'],
    ['exact', 'HTTPS://Shop.example/cart'],
    ['exact', 'app://cart'],
    ['simple', '/cart'],
    ['contains', '/cart'],
    ['ends_with', '/cart'],
    ['regex', '/cart$'],
  ] as const)('has no objection to the condition %s %s', (match, value) =>
    expect(impossibleConditions([condition(match, value)])).toEqual([]),
  );

  it('names conditions next to possible ones, but no negated conditions', () => {
    const possible = condition('simple', '/cart');
    expect(impossibleConditions([])).toEqual([]);
    expect(impossibleConditions([possible, condition('exact', '/a', true)])).toEqual([]);
    expect(impossibleConditions([possible, condition('exact', '/a'), condition('exact', '/b')])).toEqual([
      expect.stringContaining('“/a”'),
      expect.stringContaining('“/b”'),
    ]);
  });

  it('objects to a list in which every condition is negated', () => {
    const conditions = [condition('contains', '/a', true), condition('exact', '/b', true)];
    expect(impossibleConditions(conditions)).toEqual([
      'All conditions are negated, so no URL matches. Add a condition for the URLs that should match.',
    ]);
    expect(URLS.filter((url) => pageMatches(compilePage(conditions), url))).toEqual([]);
  });
});
