import type { DecisionOutcome } from '../../experiments/experiment-descriptions';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { Moment, Name } from '../../presentation/components/text';

/** Decision outcomes, as pages name them. */
export const OUTCOME_NAMES: Readonly<Record<DecisionOutcome, string>> = {
  ship: 'Ship a variation',
  revert: 'Keep the original',
  inconclusive: 'Inconclusive',
  invalid: 'Invalid: the data cannot be used',
};

/** The experiment's hypothesis and decision, if any. */
export function DecisionCard({ experiment }: { experiment: ExperimentRecord }) {
  const { hypothesis, decision, variations } = experiment;
  const variation = variations.find(({ id }) => id === decision?.variation_id);
  const isChosen =
    decision?.outcome === 'ship' || (decision?.outcome === 'revert' && variation?.is_original === true);
  return hypothesis === null && decision === null ? null : (
    <section class="card stack decision" aria-labelledby="decision">
      <h2 id="decision">{decision === null ? 'Hypothesis' : 'Decision'}</h2>
      {decision !== null && (
        <>
          <p>
            <strong>{OUTCOME_NAMES[decision.outcome]}</strong>
            {variation !== undefined && (
              <>
                {isChosen ? ': ' : ' (about '}
                <Name>{variation.name}</Name>
                {!isChosen && ')'}
              </>
            )}
          </p>
          {decision.note !== null && <p class="description">{decision.note}</p>}
          <p class="small muted">
            <Name>{decision.decided_by.name}</Name>, <Moment at={decision.decided_at} />
          </p>
        </>
      )}
      {hypothesis !== null && decision !== null && <h3>Hypothesis</h3>}
      {hypothesis !== null && <p class="description">{hypothesis}</p>}
    </section>
  );
}
