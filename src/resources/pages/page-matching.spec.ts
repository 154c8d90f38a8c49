import type { PageCondition, PageMatch } from './page-conditions';
import { compilePage, pageMatches } from './page-matching';

const condition = (match: PageMatch, value: string, negate = false): PageCondition => ({
  match,
  value,
  negate,
});
const matches = (address: string, ...conditions: PageCondition[]): boolean =>
  pageMatches(compilePage(conditions), address);

describe('pageMatches', () => {
  it('matches every URL without conditions', () => expect(matches('https://a.example/x')).toBe(true));

  it.each([
    ['https://shop.example/cart', 'https://shop.example/cart', true],
    ['https://shop.example/cart', 'http://shop.example/cart/?a=1#b', true],
    ['shop.example/cart', 'https://shop.example/cart', true],
    ['shop.example/cart/', 'https://shop.example/cart', true],
    ['SHOP.example/cart', 'https://shop.EXAMPLE/cart', true],
    ['shop.example/cart', 'https://shop.example/Cart', false],
    ['shop.example/cart', 'https://shop.example/cart/2', false],
    ['shop.example/cart', 'https://other.example/cart', false],
    ['shop.example', 'https://shop.example/', true],
    ['shop.example', 'https://shop.example.evil.example/', false],
    ['shop.example:8080/a', 'http://shop.example:8080/a', true],
    ['/', 'https://any.example/?utm=1', true],
    ['/', 'https://any.example/x', false],
    ['/cart', 'https://any.example/cart', true],
    ['/caf%C3%A9', 'https://any.example/café', true],
    ['/café', 'https://any.example/caf%C3%A9', true],
    ['/a.c', 'https://any.example/abc', false],
    ['/a?x=1', 'https://any.example/a?x=2', true],
    ['http://shop.example:80/a', 'http://shop.example/a', true],
    ['müller.example', 'https://xn--mller-kva.example/', true],
  ])('compares %s with %s in the simple mode', (value, address, expected) =>
    expect(matches(address, condition('simple', value))).toBe(expected),
  );

  it.each([
    ['exact', 'https://shop.example', 'https://shop.example/', true],
    ['exact', 'https://shop.example/?a=1', 'https://shop.example/?a=1', true],
    ['exact', 'https://shop.example/', 'https://shop.example/?a=1', false],
    ['contains', '?a=1', 'https://shop.example/?a=1', true],
    ['contains', '.', 'https://localhost/a', false],
    ['starts_with', 'https://shop.', 'https://shop.example/', true],
    ['starts_with', 'shop.', 'https://shop.example/', false],
    ['ends_with', '.html', 'https://shop.example/a.html', true],
    ['ends_with', '.html', 'https://shop.example/a.html?x', false],
    ['starts_with', 'https://shop.example/über', 'https://shop.example/über-uns', true],
    ['starts_with', 'HTTPS://Shop.example:443/a', 'https://shop.example/a/b', true],
    ['starts_with', 'https://müller.example/', 'https://müller.example/a', true],
    ['starts_with', 'https://Shop.example/A', 'https://shop.example/a', false],
    ['contains', '/käse', 'https://shop.example/käse/alt', true],
    ['contains', '/k%C3%A4se', 'https://shop.example/käse/alt', true],
    ['contains', 'q=rote schuhe', 'https://shop.example/?q=rote schuhe', true],
    ['contains', '/käse', 'https://shop.example/kaese', false],
    ['contains', '/käse', '/käse/alt', true],
    ['ends_with', '/日本語', 'https://shop.example/日本語', true],
    ['ends_with', '\ud800', 'https://shop.example/', false],
    ['contains', '?q="tea"', 'https://shop.example/?q="tea"', true],
    ['contains', "q='tea'", "https://shop.example/?q='tea'", true],
    ['contains', 'q={1}', 'https://shop.example/?q={1}', true],
    ['contains', '/a{1}', 'https://shop.example/a{1}', true],
    ['contains', "/it's", "https://shop.example/it's", true],
    ['contains', 'müller.example', 'https://müller.example/a', true],
    ['contains', 'müller.example', 'https://muller.example/a', false],
    ['contains', 'https://Shop.example/a', 'https://shop.example/a', true],
    ['ends_with', 'https://Shop.example/a', 'https://shop.example/a', true],
    ['contains', '/Käse.html', 'https://shop.example/Käse.html', true],
    ['starts_with', 'https://Shop.example', 'https://shop.example/a', true],
    ['starts_with', 'https://Shop.ex', 'https://shop.example/a', true],
    ['starts_with', 'https://Shop.example:443', 'https://shop.example/a', true],
    ['starts_with', 'https://shop.example:443', 'https://shop.example.org/a', false],
    ['starts_with', 'https://shop.example:80', 'https://shop.example:8080/a', true],
    ['starts_with', 'https://shop.example?x=1', 'https://shop.example?x=12', true],
    ['starts_with', 'https://shop.example/"a"', 'https://shop.example/"a"/b', true],
    ['ends_with', 'https://müller.example/a', 'https://müller.example/a', true],
    ['regex', '/products/\\d+$', 'https://shop.example/products/12', true],
    ['regex', '/products/\\d+$', 'https://shop.example/products/tea', false],
  ] as const)('with the match %s, compares "%s" with %s', (match, value, address, expected) =>
    expect(matches(address, condition(match, value))).toBe(expected),
  );

  it.each([
    ['simple', '/a^b|c', '/a^b|c', '/a%5Eb%7Cc', '/a%5eb%7cc'],
    ['simple', '/a%5Eb', '/a^b', '/a%5Eb'],
    ['simple', '/käse', '/käse', '/k%C3%A4se', '/k%c3%a4se'],
    ['simple', '/k%c3%a4se', '/käse', '/k%C3%A4se'],
    ['simple', '/~user', '/~user', '/%7Euser', '/%7euser'],
    ['simple', '/%7Euser', '/~user', '/%7euser'],
    ['exact', 'https://shop.example/a^b?q=ü', '/a^b?q=%c3%bc', '/a%5Eb?q=%C3%BC'],
    ['contains', '/a^b', '/a^b', '/a%5Eb'],
    ['contains', '/a|b', '/a|b', '/a%7Cb'],
    ['contains', '/100%25', '/100%25'],
    ['starts_with', 'https://shop.example/käse', '/k%c3%a4se', '/k%C3%A4se'],
    ['ends_with', '/~user', '/~user', '/%7Euser'],
  ] as const)('with the match %s, finds "%s" in every encoding', (match, value, ...paths) => {
    expect(paths.filter((path) => !matches(`https://shop.example${path}`, condition(match, value)))).toEqual(
      [],
    );
  });

  it.each([
    ['simple', '/a^b', '/ab'],
    ['simple', '/a|b', '/a'],
    ['simple', '/~user', '/user'],
    ['simple', '/%41', '/%42'],
    ['contains', '/a%2Fb', '/a/b'],
  ] as const)('with the match %s, distinguishes "%s" from %s', (match, value, path) =>
    expect(matches(`https://shop.example${path}`, condition(match, value))).toBe(false),
  );

  it('requires one matching condition, and no matching negated one', () => {
    const conditions = [
      condition('contains', '/a'),
      condition('contains', '/b'),
      condition('contains', '/c', true),
    ];
    expect(matches('https://x.example/a', ...conditions)).toBe(true);
    expect(matches('https://x.example/b', ...conditions)).toBe(true);
    expect(matches('https://x.example/d', ...conditions)).toBe(false);
    expect(matches('https://x.example/a/c', ...conditions)).toBe(false);
    expect(matches('https://x.example/d', condition('contains', '/c', true))).toBe(false);
  });

  it('matches nothing with a pattern that no linear-time engine supports', () => {
    const address = 'https://x.example/a';
    expect(matches(address, condition('contains', '/a'), condition('regex', '(?=b)'))).toBe(false);
    expect(matches(address, condition('contains', '/a'), condition('regex', '(?=b)', true))).toBe(false);
  });
});
