import { formatMicros, Micros } from '../../common/time/clock';
import { Name } from '../../presentation/components/name';
import { formatMoment } from '../../presentation/text/dates';
import { formatCertainty, formatCount } from '../../presentation/text/numbers';
import { passedDays } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import type { ShareModel } from '../share-model';

const STATUS_NAMES: Readonly<Record<string, string>> = {
  draft: 'Draft',
  preview: 'Preview',
  running: 'Running',
  pause: 'Paused',
  archive: 'Ended',
};

/** What is shown, in which state, and from when it is. */
export function Masthead({
  results,
  asOf,
  lastEventAt,
}: Pick<ShareModel, 'results' | 'asOf' | 'lastEventAt'>) {
  const { name, status } = results.experiment;
  return (
    <header class="masthead">
      <p class="topline">
        <span class="brand">Gosset</span>
        <span>Experiment results</span>
      </p>
      <h1>
        <Name>{name}</Name>
      </h1>
      <p class="meta">
        <span class={`status status-${status}`}>{STATUS_NAMES[status] ?? status}</span>
        <span>
          As of <Moment at={asOf} />
        </span>
        {lastEventAt !== null && (
          <span>
            Last event <Moment at={lastEventAt} />
          </span>
        )}
      </p>
    </header>
  );
}

function Moment({ at }: { at: Micros }) {
  return (
    <time class="nowrap" datetime={formatMicros(at)}>
      {formatMoment(at)}
    </time>
  );
}

/** The figures that are about the experiment as a whole. */
export function Facts({ results }: { results: ExperimentResults }) {
  const { participants, daysRunning, significance, crossovers } = results;
  return (
    <dl class="card facts">
      <Fact title="Participants" figure={formatCount(participants)} />
      <Fact title="Running" figure={passedDays(daysRunning)} />
      <Fact title="Certainty required" figure={formatCertainty(significance)} />
      <Fact title="Crossovers" figure={formatCount(crossovers)} />
    </dl>
  );
}

function Fact({ title, figure }: { title: string; figure: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{figure}</dd>
    </div>
  );
}
