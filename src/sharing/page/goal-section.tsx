import { IntervalFigure } from '../../presentation/components/interval-figure';
import { Name } from '../../presentation/components/text';
import { isCrowded, SeriesLook } from '../../presentation/plots/series';
import type { GoalProgress, GoalResults } from '../../results/experiment-results';
import { caveatsOf } from '../caveats';
import { rateFigure, upliftFigure } from '../goal-figures';
import { currentIntervals } from '../goal-series';
import { rateExplanation, upliftExplanation } from '../plot-words';
import type { ShareModel } from '../share-model';
import type { VerdictText } from '../verdict';
import { GoalImages } from './goal-images';
import { GoalTable } from './goal-table';
import { VerdictBox } from './verdict-box';

interface GoalSectionProps {
  goal: GoalResults;
  verdict: VerdictText;
  progress: GoalProgress | undefined;
  isPrimary: boolean;
  /** What the ranges promise. */
  certainty: string;
  looks: ReadonlyMap<number, SeriesLook>;
  model: ShareModel;
  /** Whether plots and tables are inline; otherwise the page loads images. */
  hasPlots: boolean;
}

/** One goal: verdict, figures, and trend. */
export function GoalSection(props: GoalSectionProps) {
  const { goal, verdict, progress, isPrimary, looks } = props;
  const caveats = caveatsOf(goal);
  return (
    <section class="card goal" id={`goal-${goal.id}`} aria-labelledby={`goal-${goal.id}-name`}>
      <header class="goal-head">
        <p class="eyebrow">{isPrimary ? 'Primary goal' : 'Goal'}</p>
        <h2 id={`goal-${goal.id}-name`}>
          <Name>{goal.name}</Name>
        </h2>
      </header>
      <VerdictBox {...verdict} />
      <GoalTable goal={goal} looks={looks} intervals={currentIntervals(progress)} />
      {caveats.length > 0 && (
        <ul class="caveats">
          {caveats.map((caveat) => (
            <li key={caveat}>{caveat}</li>
          ))}
        </ul>
      )}
      {props.hasPlots ? <GoalPlots {...props} /> : <GoalImages {...props} />}
    </section>
  );
}

function GoalPlots({ goal, progress, certainty, looks }: GoalSectionProps) {
  const rate = rateFigure(goal, progress);
  const uplift = upliftFigure(goal, progress);
  return (
    <div class={isCrowded(rate.series) ? 'plots plots-many' : 'plots plots-single'}>
      <IntervalFigure
        {...rate}
        id={`goal-${goal.id}-figure`}
        explanation={`${rateExplanation(goal)} ${certainty}`}
        looks={looks}
      />
      {uplift.series.length > 0 && (
        <IntervalFigure
          {...uplift}
          id={`goal-${goal.id}-change`}
          explanation={upliftExplanation(goal, uplift.series)}
          looks={looks}
        />
      )}
    </div>
  );
}
