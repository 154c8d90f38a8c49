import { listQuery, readListRequest } from './list-request';

const NOTHING = { status: null, search: '', page: 1 };

it.each([
  [{}, NOTHING],
  [
    { status: 'running', search: ' Button ', page: '3' },
    { status: 'running', search: 'Button', page: 3 },
  ],
  [
    { status: ['pause', 'draft'], page: ['2', '3'] },
    { ...NOTHING, status: 'pause', page: 2 },
  ],
  [{ status: 'toString', page: '0' }, NOTHING],
  [{ page: '-1' }, NOTHING],
  [{ page: '1e3' }, NOTHING],
  [{ page: '99999999999' }, NOTHING],
  [{ search: 'a\0b' }, { ...NOTHING, search: 'ab' }],
])('reads %j', (query, expected) => expect(readListRequest(query)).toEqual(expected));

it.each([
  [NOTHING, ''],
  [{ status: 'running' as const, search: 'a&b c', page: 2 }, '?status=running&search=a%26b+c&page=2'],
])('writes %j as %j', (request, expected) => {
  expect(listQuery(request)).toBe(expected);
  expect(readListRequest(Object.fromEntries(new URLSearchParams(expected)))).toEqual(request);
});
