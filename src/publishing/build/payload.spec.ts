import { isURLTargeted } from '@growthbook/growthbook';
import fc from 'fast-check';
import { PAGE_MATCHES, PageCondition } from '../../resources/pages/page-conditions';
import { compilePage, pageMatches } from '../../resources/pages/page-matching';
import { urlTargets } from './payload';

const VALUES = [
  '/a',
  '/b/',
  'a',
  'https://one.example/a',
  'one.example/a?x=1',
  '^/a',
  'a$',
  '^https:.*(a|b)$',
];
const ADDRESSES = ['a', 'a/', 'b', 'a/b', 'c?x=a', 'a?x=1', '#a', 'b/#x'].flatMap((path) => [
  `https://one.example/${path}`,
  `http://two.example/${path}`,
]);

const conditions = fc.array(
  fc.record({
    match: fc.constantFrom(...PAGE_MATCHES),
    value: fc.constantFrom(...VALUES),
    negate: fc.boolean(),
  }),
  { maxLength: 4 },
);

/** Whether the SDK targets a URL. */
function isTargeted(pages: PageCondition[][], address: string): boolean {
  const targets = urlTargets(pages) ?? [];
  return targets.length === 0 || isURLTargeted(address, targets);
}

it('targets the URLs that the pages match, in the SDK and in our implementation', () => {
  fc.assert(
    fc.property(
      fc.array(conditions, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...ADDRESSES),
      (pages, address) => {
        const isMatched = pages.some((page) => pageMatches(compilePage(page), address));
        expect(isTargeted(pages, address)).toBe(isMatched);
      },
    ),
    { numRuns: 3_000 },
  );
});

it('does not combine patterns with group references', () => {
  const numbered: PageCondition = { match: 'regex', value: '(a)\\1', negate: false };
  const unwanted: PageCondition = { match: 'contains', value: 'b', negate: true };
  expect(urlTargets([[numbered, unwanted]])).toHaveLength(2);
  const wanted: PageCondition = { match: 'contains', value: 'c', negate: false };
  expect(urlTargets([[numbered], [wanted, unwanted]])).toBeNull();
});

it('targets nothing if pages have only negated conditions', () => {
  const unwanted: PageCondition = { match: 'contains', value: 'b', negate: true };
  expect(isTargeted([[unwanted], [unwanted]], 'https://one.example/a')).toBe(false);
});
