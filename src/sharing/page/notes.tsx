import type { ComponentChildren } from 'preact';
import { formatCertainty } from '../../presentation/text/numbers';
import type { ExperimentResults } from '../../results/experiment-results';
import type { Method } from '../../statistics/result';
import { certaintyWords } from '../certainty-words';

const METHODS: Record<Method, { name: string; text: string }> = {
  sequential: {
    name: 'May be looked at every day',
    text: 'The verdicts come from a sequential test. It allows for looking as often as you like and stopping as soon as a verdict is there. So a verdict may still wait when a range no longer includes zero.',
  },
  frequentist: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from a frequentist test that is meant to be looked at once. Who looks every day and stops at the first verdict finds differences that do not exist.',
  },
  bayesian: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from the Bayesian chance to beat the original. It does not protect against looking often: who stops at the first verdict is wrong more often than the certainty suggests.',
  },
};

/** What the words and figures mean, for who sees them for the first time. */
export function Notes({ results }: { results: ExperimentResults }) {
  const method = results.goals[0]?.variations[0]?.statistics.method;
  const certainty = certaintyWords(results);
  return (
    <section class="card notes" aria-labelledby="notes">
      <h2 id="notes">How to read this page</h2>
      <dl>
        {method !== undefined && <Note title={METHODS[method].name}>{METHODS[method].text}</Note>}
        {certainty !== null && <Note title="Certainty required">{certainty.join(' ')}</Note>}
        <Note title="Ranges">
          The range with a figure holds the true one with {formatCertainty(results.significance)} certainty.
          Wide ranges mean that there are too few participants yet. A dash in place of a range means that
          nothing is known about the uncertainty, because the figures do not vary yet.
        </Note>
        <Note title="Days to go">
          A forecast from what was seen so far, not a promise. It grows when the difference turns out to be
          smaller.
        </Note>
        <Note title="Participants and conversions">
          A participant is a visitor who was shown a variation, counted once. Whoever then did what the goal
          counts, once or many times, converted once.
        </Note>
        <Note title="Crossovers">
          Participants who were later shown another variation too. They count where they were seen first. Many
          of them mean that visitors do not stay in their variation, which blurs the result.
        </Note>
      </dl>
    </section>
  );
}

function Note({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
