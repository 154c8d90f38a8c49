import { IntervalFigure } from '../../presentation/components/interval-figure';
import { ImageSize, standaloneSize } from '../../presentation/components/standalone-plot';
import { Name } from '../../presentation/components/text';
import { describeSeries, hasFigures, isCrowded, SeriesLook } from '../../presentation/plots/series';
import { plainName } from '../../presentation/text/words';
import type { GoalProgress, GoalResults } from '../../results/experiment-results';
import { caveatsOf } from '../caveats';
import { certaintyOfFigures, methodOf, rateExplanation, upliftExplanation } from '../certainty-words';
import { sharedQuery } from '../filter';
import { rateFigure, upliftFigure, currentIntervals } from '../goal-figures';
import { goalPlot, PlottedHistory } from '../goal-plot';
import type { ImageKind } from '../goal-plot';
import { roleWords } from '../result-words';
import type { ShareModel } from '../share-model';
import type { VerdictText } from '../verdict-text';
import { ToneIcon } from './badges';
import { GoalTable } from './goal-table';

interface GoalImagesProps {
  goal: GoalResults;
  progress: GoalProgress | undefined;
  model: ShareModel;
}

/** The plots for a goal as lazy-loaded images, with a link to the daily figures. */
function GoalImages({ goal, progress, model }: GoalImagesProps) {
  const { results, filter, lastEventAt, path } = model;
  const { experiment, significance } = results;
  const shown = { method: methodOf(results), significance, checked: model, filter, lastEventAt };
  const history = { experiment, goal, progress, ...shown };
  if (path === null) {
    return <p class="muted">The plots of this goal are shown when the results are shared.</p>;
  }
  const isCompared = goal.variations.length > 1 && goal.variations.some(({ isOriginal }) => isOriginal);
  return (
    <div class="plot-images">
      <PlotImage history={history} kind="rate" path={path} />
      {isCompared && <PlotImage history={history} kind="uplift" path={path} />}
      <p class="small screen-only">
        <a href={`${path}/goals/${goal.id}${sharedQuery(filter)}`}>Show daily figures</a>
      </p>
    </div>
  );
}

function PlotImage({ history, kind, path }: { history: PlottedHistory; kind: ImageKind; path: string }) {
  const { goal, filter } = history;
  const plot = goalPlot(history, kind);
  const address = (size: ImageSize) => `${path}/goals/${goal.id}.svg${sharedQuery(filter, { kind, size })}`;
  const figures = hasFigures(plot.series)
    ? describeSeries(plot.series, plot.formatValue)
    : 'Nothing to draw yet.';
  const id = `goal-${goal.id}-${kind}`;
  return (
    <figure class="plot-figure" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{plot.title}</h3>
        <p class="visually-hidden">{plot.explanation.join(' ')}</p>
      </figcaption>
      <picture>
        <source
          media="screen and (max-width: 46rem)"
          srcset={address('small')}
          {...standaloneSize(plot, 'small')}
        />
        <img
          class="plot-image"
          src={address('large')}
          {...standaloneSize(plot, 'large')}
          alt={`${plainName(goal.name)}: ${plot.title}. ${figures}`}
          loading="lazy"
          decoding="async"
        />
      </picture>
    </figure>
  );
}

interface GoalSectionProps {
  goal: GoalResults;
  verdict: VerdictText;
  progress: GoalProgress | undefined;
  /** Whether to show the verdict because no headline on the page shows it. */
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
        explanation={`${rateExplanation(goal)} ${certaintyOfFigures(goal, certainty)}`}
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
