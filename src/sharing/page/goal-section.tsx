import { IntervalFigure } from '../../presentation/components/interval-figure';
import { Name } from '../../presentation/components/text';
import { isCrowded, SeriesLook } from '../../presentation/plots/series';
import type { GoalProgress, GoalResults } from '../../results/experiment-results';
import { caveatsOf } from '../caveats';
import { rateFigure, upliftFigure } from '../goal-figures';
import { currentIntervals } from '../goal-series';
import { rateExplanation, upliftExplanation } from '../certainty-words';
import { roleWords } from '../result-words';
import type { ShareModel } from '../share-model';
import type { VerdictText } from '../verdict';
import { GoalImages } from './goal-images';
import { GoalTable } from './goal-table';
import { ToneIcon } from './tone-icon';

interface GoalSectionProps {
  goal: GoalResults;
  verdict: VerdictText;
  progress: GoalProgress | undefined;
  /** Whether the page has no headline with its verdict. */
  hasVerdict: boolean;
  /** Explains the ranges. */
  certainty: string;
  looks: ReadonlyMap<number, SeriesLook>;
  model: ShareModel;
  /** Whether plots and tables are inline; otherwise the page loads images. */
  hasPlots: boolean;
}

/** One goal: verdict, trend, and figures. */
export function GoalSection(props: GoalSectionProps) {
  const { goal, verdict, progress, looks } = props;
  const caveats = caveatsOf(goal);
  return (
    <section class="card goal" id={`goal-${goal.id}`} aria-labelledby={`goal-${goal.id}-name`}>
      <header class="goal-head">
        <p class="eyebrow">{roleWords(goal)}</p>
        <h2 id={`goal-${goal.id}-name`}>
          <Name>{goal.name}</Name>
        </h2>
      </header>
      {props.hasVerdict && <GoalVerdict {...verdict} />}
      {caveats.length > 0 && (
        <ul class="caveats">
          {caveats.map((caveat) => (
            <li key={caveat}>{caveat}</li>
          ))}
        </ul>
      )}
      {props.hasPlots ? <GoalPlots {...props} /> : <GoalImages {...props} />}
      <details class="printed-open">
        <summary>All figures of this goal</summary>
        <GoalTable goal={goal} looks={looks} intervals={currentIntervals(progress)} />
      </details>
    </section>
  );
}

function GoalVerdict({ tone, headline, details }: VerdictText) {
  return (
    <div class={`goal-verdict tone-${tone}`}>
      <ToneIcon tone={tone} />
      <div>
        <p class="goal-headline">{headline}</p>
        {details.map((detail, index) => (
          <p key={index}>{detail}</p>
        ))}
      </div>
    </div>
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
