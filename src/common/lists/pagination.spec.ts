import { linkHeader } from './pagination';

const ADDRESS = 'https://ab.example.com/api/teams?search=a%20b&page=2';

function relations(number: number, perPage: number, total: number): Record<string, string> {
  const links = linkHeader(ADDRESS, { number, perPage }, total)?.split(', ') ?? [];
  return Object.fromEntries(
    links.map((link) => {
      const [, url = '', relation = ''] = /^<(.+)>; rel="(\w+)"$/.exec(link) ?? [];
      return [relation, new URL(url).searchParams.get('page') ?? ''];
    }),
  );
}

describe('linkHeader', () => {
  it.each([
    [1, 10, 35, { first: '1', next: '2', last: '4' }],
    [2, 10, 35, { first: '1', prev: '1', next: '3', last: '4' }],
    [4, 10, 35, { first: '1', prev: '3', last: '4' }],
    [9, 10, 35, { first: '1', prev: '4', last: '4' }],
    [1, 10, 0, { first: '1', last: '1' }],
    [1, 10, 10, { first: '1', last: '1' }],
  ])('links page %d with %d entries per page and %d in total', (number, perPage, total, expected) => {
    expect(relations(number, perPage, total)).toEqual(expected);
  });

  it('keeps the other parameters', () => {
    expect(linkHeader(ADDRESS, { number: 1, perPage: 5 }, 1)).toContain('search=a+b');
  });

  it('is absent if no page was requested', () => expect(linkHeader(ADDRESS, null, 5)).toBeNull());
});
