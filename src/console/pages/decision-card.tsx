import type { Outcome } from '../../experiments/decision-outcomes';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { Moment, Name } from '../../presentation/components/text';

/** Decision outcomes, as pages name them. */
export const OUTCOME_NAMES: Readonly<Record<Outcome, string>> = {
  ship: 'Ship a variation',
  revert: 'Keep the original',
  inconclusive: 'Inconclusive',
  invalid: 'Invalid: the data cannot be used',
};

/** The experiment's hypothesis and decision, if any. */
export function DecisionCard({ experiment }: { experiment: ExperimentRecord }) {
  const { hypothesis, decision, variations } = experiment;
  const variation = variations.find(({ id }) => id === decision?.variation_id);
  return hypothesis === null && decision === null ? null : (
    <section class="card stack decision" aria-labelledby="decision">
      <h2 id="decision">{decision === null ? 'Hypothesis' : 'Decision'}</h2>
      {decision !== null && (
        <>
          <p>
            <strong>{OUTCOME_NAMES[decision.outcome]}</strong>
            {variation !== undefined && (
              <>
                : <Name>{variation.name}</Name>
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
