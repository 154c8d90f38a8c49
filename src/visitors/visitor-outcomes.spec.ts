import { attribute } from '../events/attribution';
import { type CountingRules, WITHOUT_END } from '../events/counting-rules';
import type { WholeVisitor } from '../events/links/linked-ids';
import { outcomesOf } from './visitor-outcomes';

type Event = WholeVisitor['ids'][number]['events'][number];

const [EXPERIMENT, VARIATION, GOAL] = [7, 70, 5];
const SECOND = 1_000_000;
const PAUSED: CountingRules = {
  ...WITHOUT_END,
  runs: [
    { startedAt: 0, endedAt: SECOND },
    { startedAt: 2 * SECOND, endedAt: null },
  ],
};

const event = (event_id: string, seconds: number, fields: Partial<Event>): Event => ({
  event_id,
  occurred_at: seconds * SECOND,
  experiment_id: null,
  variation_id: null,
  goal_id: null,
  value: null,
  device: 0,
  isAttributed: true,
  ...fields,
});
const exposure = event('seen', 0.001, { experiment_id: EXPERIMENT, variation_id: VARIATION });
const conversion = (seconds: number): Event => event('bought', seconds, { goal_id: GOAL });

const id = (visitorId: string, events: Event[]) => ({
  visitorId,
  events,
  linkedAt: null,
  isLinkAttributed: true,
});

it.each([
  ['a crossover if a later exposure to another variation counts', 0.5, true],
  ['no crossover if no later exposure to another variation counts', 1.5, false],
])('outcomesOf reports %s, even if the visitor is excluded', (_, seconds, hasCrossed) => {
  const other = event('other', seconds, { experiment_id: EXPERIMENT, variation_id: VARIATION + 1 });
  const visitor: WholeVisitor = { canonicalId: 'a', ids: [id('a', [exposure, other])] };
  const outcomes = [false, true].map((isExcluded) => {
    const rules = {
      counting: PAUSED,
      hasLostEvents: false,
      isExcluded: () => isExcluded,
      windows: new Map(),
    };
    return outcomesOf(visitor, new Map([[EXPERIMENT, rules]]))[0];
  });
  expect(outcomes.map(({ reason }) => reason)).toEqual([null, 'excluded']);
  expect(outcomes.map((outcome) => outcome.hasCrossed)).toEqual([hasCrossed, hasCrossed]);
});

it.each([
  ['a repeat of a conversion that counted', [0.5, 2.5], [null, 'same_event']],
  ['a repeat of a conversion that did not count', [1.5, 2.5], ['not_running', null]],
])('outcomesOf agrees with the results on %s', (_, [first, second], reasons) => {
  const conversions = [conversion(first), conversion(second)];
  const visitor: WholeVisitor = {
    canonicalId: 'a',
    ids: [id('a', [exposure, conversions[0]]), id('b', [conversions[1]])],
  };
  const rules = {
    counting: PAUSED,
    hasLostEvents: false,
    isExcluded: () => false,
    windows: new Map([[GOAL, null]]),
  };
  const [{ events }] = outcomesOf(visitor, new Map([[EXPERIMENT, rules]]));
  expect(events.slice(1).map(({ reason }) => reason)).toEqual(reasons);
  const [{ contributions }] = attribute([exposure, ...conversions], new Map([[EXPERIMENT, PAUSED]]));
  const counted = contributions.reduce((sum, { conversions: own }) => sum + own, 0);
  expect(counted).toBe(reasons.filter((reason) => reason === null).length);
});

it('outcomesOf does not guess how a result that has lost events treats the visitor', () => {
  const visitor: WholeVisitor = { canonicalId: 'a', ids: [id('a', [exposure, conversion(0.5)])] };
  const rules = { counting: PAUSED, hasLostEvents: true, isExcluded: () => false, windows: new Map() };
  const outcomes = outcomesOf(visitor, new Map([[EXPERIMENT, rules]]));
  expect(outcomes).toMatchObject([
    { exposure: null, phase: null, hasCrossed: null, reason: 'events_removed' },
  ]);
  expect(outcomes[0].events.map(({ reason }) => reason)).toEqual(['events_removed', 'events_removed']);
});
