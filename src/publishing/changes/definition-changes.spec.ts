import { liveDefinitions, liveExperiment, liveVariations } from '../../../test/support/live-definitions';
import type { LiveDefinitions, LiveExclusion, LiveExperiment, LivePage } from '../definitions';
import { definitionChanges, NameOf } from './definition-changes';

/* The differences between two publications, as sentences and by field. */

const NAMES: Record<string, string> = {
  'experiments 7': 'Green buy button',
  'variations 71': 'Green',
  'pages 2': 'Cart',
  'exclusion_groups 3': 'Checkout',
};

const nameOf: NameOf = (kind, id, otherwise) => NAMES[`${kind} ${id}`] ?? otherwise;

const of = (parts: Partial<LiveExperiment> = {}, project: Partial<LiveDefinitions> = {}): LiveDefinitions =>
  liveDefinitions([liveExperiment({ id: 7, ...parts })], project);

const changes = (before: LiveDefinitions | null, after: LiveDefinitions) =>
  definitionChanges(before, after, nameOf);
const texts = (before: LiveDefinitions | null, after: LiveDefinitions): string[] =>
  changes(before, after).map(({ text }) => text);

const [original, green] = liveVariations(70, [5_000, 5_000]);
const PAGE: LivePage = { id: 2, api_name: 'cart', activation: 'immediate', conditions: [] };
const PART: LiveExclusion = {
  group: 3,
  ranges: [
    [0, 1_000],
    [4_000, 6_500],
  ],
};
const CALLED = 'Experiment “Green buy button”';

it('finds no changes between equal definitions, even in different phases', () => {
  expect(changes(of({ phase: 1 }), of({ phase: 2 }))).toEqual([]);
});

it('names each experiment of the first publication', () => {
  expect(changes(null, of())).toEqual([
    {
      kind: 'experiment',
      action: 'added',
      experiment_id: 7,
      variation_id: null,
      field: null,
      before: null,
      after: null,
      diff: null,
      text: `${CALLED} goes live`,
    },
  ]);
});

it('names stopped experiments, by their api_name if the name is unknown', () => {
  const two = liveDefinitions([liveExperiment({ id: 7 }), liveExperiment({ id: 9, api_name: 'gone' })]);
  expect(texts(two, of())).toEqual(['Experiment “gone” is no longer live']);
  expect(texts(of(), liveDefinitions([]))).toEqual([`${CALLED} is no longer live`]);
});

it('shows basis points as percentages', () => {
  expect(changes(of({ traffic: 5_000 }), of({ traffic: 10_000 }))).toMatchObject([
    {
      action: 'changed',
      field: 'traffic',
      before: 50,
      after: 100,
      text: `${CALLED}: traffic 50\u202f% → 100\u202f%`,
    },
  ]);
  expect(texts(of({ traffic: 1 }), of({ traffic: 3_333 }))).toEqual([
    `${CALLED}: traffic 0.01\u202f% → 33.33\u202f%`,
  ]);
});

it.each<[string, Partial<LiveExperiment>, Partial<LiveExperiment>, string]>([
  ['group', {}, { exclusion: PART }, 'exclusion group none → “Checkout” (35\u202f%)'],
  ['no group', { exclusion: PART }, {}, 'exclusion group “Checkout” (35\u202f%) → none'],
  [
    'part of the group',
    { exclusion: PART },
    { exclusion: { group: 3, ranges: [[0, 3_500]] } },
    'exclusion group “Checkout” (35\u202f%): other visitors',
  ],
  ['match type', {}, { audiences_match_type: 'all' }, 'audiences_match_type any → all'],
  ['audiences', { audiences: [null] }, { audiences: [null, null] }, 'audiences 1 → 2'],
  ['conditions', { audiences: [null] }, { audiences: [['and']] }, 'audiences changed'],
  ['new page', { pages: [] }, { pages: [PAGE] }, 'page “Cart” added'],
  ['lost page', { pages: [PAGE] }, { pages: [] }, 'page “Cart” removed'],
  ['page', { pages: [PAGE] }, { pages: [{ ...PAGE, activation: 'manual' }] }, 'page “Cart” changed'],
  ['environment', { environments: [] }, { environments: [1] }, 'environment “1” added'],
  ['JavaScript', { js: 'a()' }, { js: 'b()\nc()' }, 'JavaScript changed (+2, −1 lines)'],
  ['CSS', { css: null }, { css: 'a {}' }, 'CSS changed (+1 line)'],
])('reports a changed %s', (_, before, after, words) => {
  expect(texts(of(before), of(after))).toEqual([`${CALLED}: ${words}`]);
});

it('contains a diff of the code, not the code itself', () => {
  const [change] = changes(of({ js: 'a()\nb()' }), of({ js: 'a()\nc()' }));
  expect(change).toMatchObject({ before: null, after: null, diff: '@@ -1,2 +1,2 @@\n a()\n-b()\n+c()' });
});

it('distinguishes variations', () => {
  const before = of({ variations: [original, green] });
  const after = of({
    variations: [
      { ...original, share: 3_000 },
      { ...green, share: 7_000, css: 'a {}' },
    ],
  });
  expect(texts(before, after)).toEqual([
    `${CALLED}, variation “a”: share 50\u202f% → 30\u202f%`,
    `${CALLED}, variation “Green”: share 50\u202f% → 70\u202f%`,
    `${CALLED}, variation “Green”: CSS changed (+1 line)`,
  ]);
  expect(texts(before, of({ variations: [original] }))).toEqual([`${CALLED}, variation “Green” removed`]);
});

it('reports changes to the whole project', () => {
  const environments = [
    { id: 1, api_name: 'production', is_default: true, code: 'return false;' },
    { id: 2, api_name: 'staging', is_default: false, code: 'return true;' },
  ];
  const after = of({}, { storage: 'cookie', push_to: ['gtag', 'dataLayer'], environments });
  expect(texts(of(), after)).toEqual([
    'Project: storage localStorage → cookie',
    'Project: push_to nothing → gtag, dataLayer',
    'Environment “production”: code changed (+1, −1 lines)',
    'Environment “staging” added',
  ]);
});
