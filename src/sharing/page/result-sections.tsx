import type { Drawing } from '../../presentation/plots/drawing';
import { seriesLooks } from '../../presentation/plots/series';
import { formatCertainty } from '../../presentation/text/numbers';
import { shareMismatches } from '../share-mismatch';
import type { ShareModel } from '../share-model';
import { verdictText } from '../verdict';
import { Filter } from './filter';
import { GoalSection } from './goal-section';
import { Facts } from './masthead';
import { MismatchNotice } from './mismatch-notice';
import { Notes } from './notes';
import { Overview } from './overview';
import { Participants } from './participants';

/** All that is told of an experiment's results, from the filter to the notes. */
export function ResultSections({ model, drawing }: { model: ShareModel; drawing: Drawing }) {
  const { results, filter, form } = model;
  const mismatches = shareMismatches(model);
  const variations = results.goals[0]?.variations ?? [];
  const looks = seriesLooks(variations.map(({ id, isOriginal }) => ({ id, isReference: isOriginal })));
  const goals = withVerdicts(model, mismatches.length > 0);
  return (
    <>
      <Filter filter={filter} form={form} />
      {mismatches.length > 0 && <MismatchNotice mismatches={mismatches} />}
      {goals.length > 1 && <Overview goals={goals} />}
      <Facts results={results} />
      {goals.map(({ goal, verdict }, index) => (
        <GoalSection
          key={goal.id}
          goal={goal}
          verdict={verdict}
          progress={model.progress.find(({ goalId }) => goalId === goal.id)}
          isPrimary={index === 0}
          certainty={formatCertainty(results.significance)}
          looks={looks}
          drawing={drawing}
        />
      ))}
      {goals.length === 0 && <NoGoals />}
      {variations.length > 0 && (
        <Participants total={results.participants} variations={variations} looks={looks} />
      )}
      <Notes results={results} />
    </>
  );
}

function NoGoals() {
  return (
    <section class="card">
      <h2>No goal to judge by</h2>
      <p>
        People took part, but no goal is attached to the experiment. Attach one: it shows its whole history.
      </p>
    </section>
  );
}

function withVerdicts({ results, filter }: ShareModel, isSampleRatioMismatch: boolean) {
  const context = {
    status: results.experiment.status,
    isWholeTime: filter.start === null && filter.end === null,
    isSampleRatioMismatch,
  };
  return results.goals.map((goal) => ({ goal, verdict: verdictText(goal, context) }));
}
