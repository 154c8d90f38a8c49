import { ImageSize, standaloneSize } from '../../presentation/components/standalone-plot';
import { describeSeries, hasFigures } from '../../presentation/plots/series';
import { plainName } from '../../presentation/text/words';
import type { GoalProgress, GoalResults } from '../../results/experiment-results';
import { methodOf } from '../certainty-words';
import { sharedQuery } from '../filter-query';
import { goalPlot, PlottedHistory } from '../goal-plot';
import type { ImageKind } from '../image-query';
import type { ShareModel } from '../share-model';

interface GoalImagesProps {
  goal: GoalResults;
  progress: GoalProgress | undefined;
  model: ShareModel;
}

/** The plots of a goal as lazy-loaded images, with a link to the daily figures. */
export function GoalImages({ goal, progress, model }: GoalImagesProps) {
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
