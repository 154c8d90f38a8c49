import type { ComponentChildren } from 'preact';
import type { ExperimentResults } from '../../results/experiment-results';
import type { Method } from '../../statistics/result';
import { certaintyWords, methodOf, rangeWords } from '../certainty-words';

const METHODS: Record<Method, { name: string; text: string }> = {
  sequential: {
    name: 'Valid on every day',
    text: 'The verdicts come from a sequential test. You can look as often as you like and stop as soon as there is a verdict.',
  },
  planned: {
    name: 'May be looked at every day until the planned end',
    text: 'The verdicts come from a group-sequential test with the sample size that was planned before the start. It looks once a day and is stricter at the beginning than at the end. After the last look, the verdicts do not change.',
  },
  frequentist: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from a frequentist test, which is valid for one look. If you look every day and stop at the first verdict, you find differences that do not exist.',
  },
  bayesian: {
    name: 'Decide only at the planned end',
    text: 'The verdicts come from the Bayesian chance to beat the original. It is not valid under repeated looks: if you stop at the first verdict, you are wrong more often than the confidence suggests.',
  },
};

/** Explains the terms and figures to first-time readers. */
export function Notes({ results }: { results: ExperimentResults }) {
  const method = results.goals.length === 0 ? undefined : methodOf(results);
  const certainty = certaintyWords(results);
  return (
    <section class="card notes" aria-labelledby="notes">
      <details class="printed-open">
        <summary>
          <h2 id="notes">How to read this page</h2>
        </summary>
        <dl>
          {method !== undefined && <Note title={METHODS[method].name}>{METHODS[method].text}</Note>}
          {certainty !== null && <Note title="Required confidence">{certainty.join(' ')}</Note>}
          <Note title="Ranges">{rangeWords(results).join(' ')}</Note>
          <Note title="Days to go">
            A forecast from the results so far. It grows if the difference turns out to be smaller.
          </Note>
          <Note title="Participants and conversions">
            A participant is a visitor who was shown a variation. Each participant is counted once. A
            participant who then reached the goal, once or several times, counts as one conversion.
          </Note>
          <Note title="Crossovers">
            Participants who were later shown another variation. They are counted in their first variation.
            Many crossovers mean that visitors do not keep their variation, which reduces the measured
            difference.
          </Note>
        </dl>
      </details>
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
