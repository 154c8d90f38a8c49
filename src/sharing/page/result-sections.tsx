import { Markup } from '../../presentation/components/markup';
import type { SeriesLook } from '../../presentation/plots/series';
import { hasManyCrossovers } from '../../results/crossover-rate';
import type { GoalResults } from '../../results/experiment-results';
import { sharedQuery } from '../shared-query';
import { shareMismatches } from '../share-mismatch';
import type { ShareModel } from '../share-model';
import type { VerdictText } from '../verdict';
import { CrossoverNotice } from './crossover-notice';
import { EntryEffects } from './entry-effects';
import { Filter } from './filter';
import { Facts } from './masthead';
import { MismatchNotice } from './mismatch-notice';
import { Notes } from './notes';
import { Overview } from './overview';
import { Participants } from './participants';

interface ResultSectionsProps {
  model: ShareModel;
  goals: readonly { goal: GoalResults; verdict: VerdictText }[];
  looks: ReadonlyMap<number, SeriesLook>;
  /** The markup of each goal. */
  sections: readonly string[];
  /** Whether these are all goals. */
  isWhole: boolean;
}

/** The results page of an experiment or of one goal, around the goal sections. */
export function ResultSections({ model, goals, looks, sections, isWhole }: ResultSectionsProps) {
  const { results, filter, form, path } = model;
  const mismatches = shareMismatches(model);
  const crossed = [results, model.everybody].find(hasManyCrossovers);
  const variations = results.goals[0]?.variations ?? [];
  return (
    <>
      {!isWhole && (
        <p class="screen-only">
          <a href={`${path}${sharedQuery(filter)}`}>All results of the experiment</a>
        </p>
      )}
      <Filter filter={filter} form={form} hasWindows={results.hasWindows} />
      {mismatches.length > 0 && <MismatchNotice mismatches={mismatches} />}
      {crossed !== undefined && <CrossoverNotice {...crossed} />}
      {goals.length > 1 && <Overview goals={goals} />}
      <Facts results={results} />
      {sections.map((html, index) => (
        <Markup key={index} html={html} />
      ))}
      {results.goals.length === 0 && <NoGoals />}
      {variations.length > 0 && (
        <Participants total={results.participants} variations={variations} looks={looks} />
      )}
      {model.entries !== null && <EntryEffects {...model.entries} compared={comparedIn(variations)} />}
      <Notes results={results} />
    </>
  );
}

/** With an original, the others. */
const comparedIn = (variations: GoalResults['variations']): Set<number> =>
  new Set(
    variations.some(({ isOriginal }) => isOriginal)
      ? variations.filter(({ isOriginal }) => !isOriginal).map(({ id }) => id)
      : [],
  );

function NoGoals() {
  return (
    <section class="card">
      <h2>No goals</h2>
      <p>The experiment has participants but no goal. Attach a goal to see its whole history.</p>
    </section>
  );
}
