import { GREEN_BUTTON, MadeExperiment, shareModel } from '../../test/support/share-models';
import { DAY_MICROS } from '../common/time/clock';
import { resultState, ResultStateContext } from './result-state';

const [ORIGINAL, GREEN] = GREEN_BUTTON;
const GOALS = [{ name: 'Order placed' }];
/** A guardrail whose `effect` multiplies the variation's conversion rate. */
const KEPT = { name: 'Account kept', effect: 0.3, isGuardrail: true };
const STOPPED_GREEN = [ORIGINAL, { ...GREEN, isStopped: true }];
const HOUR = DAY_MICROS / 24;
const FIXED = { method: 'frequentist' } as const;
const COMPLETE = { isEnded: false, daysLeft: 0, daysToEnd: null };

function stateOf(made: MadeExperiment, changed: Partial<ResultStateContext> = {}) {
  const { results, asOf, lastEventAt } = shareModel(made);
  const now = changed.now ?? asOf;
  const context = { now, changedAt: 0, lastEventAt };
  return resultState(results, { ...context, ...changed });
}

it.each<[string, MadeExperiment, Partial<ResultStateContext>, object]>([
  ['no data', { days: 0 }, { now: HOUR, changedAt: 1 }, { kind: 'no data', isLate: false }],
  ['no data for an hour', { days: 0 }, { now: HOUR + 1, changedAt: 1 }, { kind: 'no data', isLate: true }],
  ['no data, not running', { days: 0, status: 'pause' }, {}, { kind: 'no data', isLate: false }],
  ['a wrong split', { variations: [ORIGINAL, { ...GREEN, perDay: 900 }] }, {}, { kind: 'mismatch' }],
  [
    'a winner',
    { days: 30, variations: [ORIGINAL, { ...GREEN, rate: 0.12 }] },
    {},
    { kind: 'winner', name: 'Green button', losses: '' },
  ],
  [
    'a winner with a worse guardrail',
    { days: 30, variations: [ORIGINAL, { ...GREEN, rate: 0.12 }], goals: [...GOALS, KEPT] },
    {},
    { kind: 'winner', name: 'Green button', losses: expect.stringContaining('the guardrail') },
  ],
  [
    'a winner with a worse guardrail, and another winner',
    {
      days: 30,
      variations: [ORIGINAL, { ...GREEN, rate: 0.2 }, { ...GREEN, name: 'Blue button', rate: 0.1 }],
      goals: [...GOALS, { name: 'Returns', direction: 'decrease', effect: 0.7, isGuardrail: true }],
    },
    {},
    {
      kind: 'winner',
      name: 'Green button',
      harmless: expect.stringMatching(/^\u2068?Blue button\u2069? is also/),
    },
  ],
  [
    'an undecided goal with a worse guardrail',
    { days: 30, goals: [...GOALS, { ...KEPT, effect: 0.5 }] },
    {},
    { kind: 'harmed', words: expect.stringContaining('worse on the guardrail') },
  ],
  ['a loser', { days: 30, variations: [ORIGINAL, { ...GREEN, rate: 0.04 }] }, {}, { kind: 'loser' }],
  ['little data', { days: 2 }, {}, { kind: 'undecided' }],
  ['a complete plan', { ...FIXED, singleLook: COMPLETE }, {}, { kind: 'no difference' }],
  ['a complete plan, sequential', { singleLook: COMPLETE }, {}, { kind: 'undecided' }],
  [
    'a complete plan before the minimums',
    { ...FIXED, days: 2, singleLook: COMPLETE },
    {},
    { kind: 'undecided' },
  ],
  [
    'the planned end',
    { ...FIXED, days: 2, singleLook: { isEnded: true, daysLeft: 0, daysToEnd: 0 } },
    {},
    { kind: 'no difference' },
  ],
  [
    'days until the planned end',
    { ...FIXED, singleLook: { isEnded: false, daysLeft: 6, daysToEnd: 6 } },
    {},
    { kind: 'undecided', daysLeft: 6 },
  ],
  [
    'a difference before the planned end',
    {
      ...FIXED,
      days: 30,
      variations: [ORIGINAL, { ...GREEN, rate: 0.12 }],
      singleLook: { isEnded: false, daysLeft: 6, daysToEnd: 6 },
    },
    {},
    {
      kind: 'undecided',
      daysLeft: 6,
      until: expect.stringContaining('Decide at the planned end, 30 June 2026'),
    },
  ],
  [
    'a worse guardrail before the planned end',
    {
      ...FIXED,
      days: 30,
      variations: [ORIGINAL, { ...GREEN, rate: 0.12 }],
      goals: [...GOALS, KEPT],
      singleLook: { isEnded: false, daysLeft: 6, daysToEnd: 6 },
    },
    {},
    { kind: 'harmed', words: expect.stringContaining('worse on the guardrail') },
  ],
  [
    'a loser and a variation without participants',
    { days: 30, variations: [ORIGINAL, { ...GREEN, rate: 0.04 }, { ...GREEN, name: 'Idle', perDay: 0 }] },
    {},
    { kind: 'loser' },
  ],
  ['only stopped variations', { days: 30, variations: STOPPED_GREEN }, {}, { kind: 'stopped', harm: '' }],
  [
    'a stopped variation with a worse guardrail',
    { days: 30, variations: STOPPED_GREEN, goals: [...GOALS, { ...KEPT, effect: 0.5 }] },
    {},
    { kind: 'stopped', harm: expect.stringContaining('worse on the guardrail') },
  ],
  ['no goal', { goals: [] }, {}, { kind: 'undecided', daysLeft: null }],
  [
    'no event for a day',
    {},
    { lastEventAt: 5, changedAt: 6, now: DAY_MICROS + 6 },
    { kind: 'silent', lastEventAt: 5 },
  ],
  [
    'a change since the last event',
    {},
    { lastEventAt: 5, changedAt: 7, now: DAY_MICROS + 6 },
    { kind: 'undecided' },
  ],
  [
    'no event for a day, paused',
    { status: 'pause' },
    { lastEventAt: 5, now: 2 * DAY_MICROS },
    { kind: 'undecided' },
  ],
])('determines the state of the results for %s', (_, made, context, expected) => {
  expect(stateOf(made, context)).toMatchObject(expected);
});
