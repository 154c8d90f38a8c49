import { GREEN_BUTTON, type MadeExperiment, shareModel } from '../../test/support/share-models';
import type { GoalResults } from '../results/experiment-results';
import { headlineOf, type JudgedGoal } from './headline';
import { decisionWord } from './result-words';
import { verdictText } from './verdict';
import type { VerdictContext } from './verdict-text';

/* Verdicts of simulated experiments. Unlike in verdict.spec.ts, all figures come from the real statistics. */

const DECIDING = { status: 'running', isFiltered: false, isDecided: false };
const RUNNING: VerdictContext = { status: 'running', isWholeTime: true };
const [original, green] = GREEN_BUTTON;

/** A goal of a simulated experiment, with verdicts from the real statistics. */
const simulated = (made: MadeExperiment): GoalResults => shareModel(made).results.goals[0];

const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, '').replaceAll('\u202f', ' ');

const toldOf = (goal: GoalResults, context: Partial<VerdictContext> = {}) => {
  const { headline: text, details } = verdictText(goal, { ...RUNNING, ...context });
  return [text, ...details].map(plain);
};

const wordsOf = (goal: GoalResults) => goal.variations.map((one) => decisionWord(goal, one)?.word ?? null);

describe('a variation without participants', () => {
  const idle = { ...green, name: 'Idle', perDay: 0 };
  const made = { days: 30, variations: [original, { ...green, rate: 0.04 }, idle] };

  it('does not hide that the other variation is worse', () => {
    const goal = simulated(made);
    const told = toldOf(goal);
    expect([told[0], told.at(-1)]).toEqual([
      'Original stays: Green button is worse',
      'Idle has no participants.',
    ]);
    expect(wordsOf(goal)).toEqual([null, 'Worse', 'No participants']);
  });

  it('is awaited if it gets traffic', () => {
    const goal = simulated(made);
    const gates = new Map([...goal.gates].map(([id, each]) => [id, { ...each, intake: 'open' as const }]));
    expect(toldOf({ ...goal, gates })).toEqual([
      'Cannot be compared yet',
      'There are no participants to compare Idle with the original yet.',
      'Green button is worse than the original.',
    ]);
  });
});

describe('a variation that was stopped without a verdict', () => {
  const worse = { ...green, rate: 0.04 };
  const stopped = { ...green, name: 'Stopped', isStopped: true };
  const of = (variations: MadeExperiment['variations'], made: Partial<MadeExperiment> = {}) =>
    simulated({ days: 30, variations, ...made });

  it('does not hide that the other variation is worse', () => {
    const goal = of([original, worse, stopped]);
    const told = toldOf(goal);
    expect([told[0], told.at(-1)]).toEqual([
      'Original stays: Green button is worse',
      'Traffic stopped before there was a verdict on Stopped.',
    ]);
    expect(wordsOf(goal)).toEqual([null, 'Worse', 'Stopped']);
    expect(goal.variations[2].duration.daysLeft).toBeNull();
    expect(toldOf(of([original, worse, { ...stopped, isStopped: false }]))[0]).toMatch(/^Stopped is ahead/);
  });

  it('does not hide that the other variation is undecided', () => {
    const told = toldOf(of([original, { ...green, rate: 0.078 }, stopped]));
    expect(told[0]).toMatch(/^Green button is ahead, but this is not yet certain/);
    expect(told.at(-1)).toBe('Traffic stopped before there was a verdict on Stopped.');
  });

  it('is not awaited if no other variation is left', () => {
    for (const alone of [
      of([original, stopped]),
      of([original, { ...stopped, perDay: 0 }, stopped]),
      of([
        { ...original, isStopped: true },
        { ...stopped, isStopped: false },
      ]),
    ]) {
      const verdict = verdictText(alone, RUNNING);
      expect([verdict.headline, verdict.progress]).toEqual(['Stopped without a verdict', null]);
      const decided = (context: object = {}, rest: JudgedGoal[] = []) =>
        plain(headlineOf([{ goal: alone, verdict }, ...rest], { ...DECIDING, ...context })?.decision ?? '');
      expect(decided()).toBe(
        'End the experiment and keep Original, or give the stopped variations traffic again.',
      );
      expect(decided({ isFiltered: true })).toMatch(/^This covers only some of the participants\./);
      const guardrail = { ...alone, role: 'guardrail' as const, tripped: [2] };
      const harm = { goal: guardrail, verdict: verdictText(guardrail, RUNNING) };
      expect(harm.verdict.details.join()).not.toContain(
        'Traffic stopped before there was a verdict on Stopped',
      );
      expect(decided({}, [harm])).toBe('End the experiment and keep Original.');
    }
  });

  it('never reaches the minimum runtime', () => {
    const significant = of([original, { ...stopped, rate: 0.04 }], { minRuntimeDays: 35 });
    expect(significant.variations[1].duration).toMatchObject({ daysLeft: null, minRuntimeReached: false });
    expect(toldOf(significant)[0]).toBe('Stopped without a verdict');
  });

  it('gets the verdict that only depends on time', () => {
    const singleLook = { isEnded: false, daysLeft: 12, daysToEnd: 12 };
    const looked = of([original, stopped], { method: 'frequentist', singleLook });
    expect(looked.variations[1].duration.daysLeft).toBe(12);
  });
});

describe('a method that allows a single look, before the planned end', () => {
  const singleLook = { isEnded: false, daysLeft: 12, daysToEnd: 12 };
  const END = 'Decide at the planned end, 30 June 2026, or once there are 50 000 participants';

  it.each(['frequentist', 'bayesian'] as const)('has no verdict with the method %s', (method) => {
    const of = (rate: number, made: Partial<MadeExperiment> = {}) =>
      simulated({ method, days: 30, singleLook, variations: [original, { ...green, rate }], ...made });
    expect(of(0.12).variations[1].statistics.verdict).toBe('winner');
    expect(toldOf(of(0.12))[0]).toBe(`Green button is ahead. ${END}`);
    expect(toldOf(of(0.04))[0]).toBe(`Green button is behind. ${END}`);
    expect(toldOf(of(0.12), { status: 'archive' })[0]).toBe(
      'Green button is ahead, but the experiment ended before its planned end',
    );
    expect(wordsOf(of(0.12))).toEqual([null, 'Too early']);
    const over = of(0.12, { singleLook: { ...singleLook, daysLeft: 0 } });
    expect([toldOf(over)[0], ...wordsOf(over)]).toEqual(['Green button is better', null, 'Better']);
  });

  it.each(['frequentist', 'bayesian'] as const)(
    'does not claim that figures of later days are those at the planned end with the method %s',
    (method) => {
      const of = (rate: number) =>
        toldOf(
          simulated({
            method,
            days: 30,
            singleLook: { ...singleLook, daysLeft: 0 },
            variations: [original, { ...green, rate }],
          }),
        );
      const laterLooks =
        'Days after the end of the plan are further looks, and can change the verdict by chance.';
      expect(of(original.rate)[0]).toBe('Not certain after the end of the plan');
      for (const rate of [original.rate, 0.12, 0.04]) {
        expect(of(rate)).toContain(laterLooks);
      }
    },
  );

  it('mentions no further looks before the end of the plan, and none with other methods', () => {
    for (const method of ['frequentist', 'sequential'] as const) {
      const daysLeft = method === 'frequentist' ? 12 : 0;
      const goal = simulated({ method, days: 30, singleLook: { ...singleLook, daysLeft } });
      expect(toldOf(goal).join(' ')).not.toContain('further looks');
    }
  });

  it('has a verdict with the sequential method', () => {
    const goal = simulated({ days: 30, singleLook, variations: [original, { ...green, rate: 0.12 }] });
    expect(toldOf(goal)[0]).toBe('Green button is better');
  });
});

describe('a verdict beside a range that includes zero', () => {
  it.each([
    [
      'bayesian',
      8,
      [
        'The chance to beat the original is 95.9 %.',
        'The verdict tests one direction at 95 %, but the ranges cover both directions with 95 %, so a range can include zero.',
      ],
    ],
    [
      'frequentist',
      9,
      [
        'The verdict is based on the p-value of the difference. Close to the limit, a range can include zero.',
      ],
    ],
  ] as const)('is explained with the method %s', (method, days, expected) => {
    const goal = simulated({ method, days, variations: [original, { ...green, rate: 0.088 }] });
    expect(goal.variations[1].statistics.verdict).toBe('winner');
    expect(goal.variations[1].statistics.conversion.upliftInterval?.[0]).toBeLessThan(0);
    expect(toldOf(goal).slice(2)).toEqual(expected);
  });
});
