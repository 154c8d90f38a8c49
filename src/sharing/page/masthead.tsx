import { formatMicros, Micros } from '../../common/time/clock';
import { Moment } from '../../presentation/components/moment';
import { Name } from '../../presentation/components/name';
import { formatCertainty, formatCount } from '../../presentation/text/numbers';
import { passedDays } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import type { Standing } from '../share-model';
import { StatusBadge } from './status-badge';

/** What is shown, in which state, and from when it is. */
export function Masthead(standing: Standing) {
  return (
    <header class="masthead">
      <p class="topline">
        <span class="brand">Gosset</span>
        <span>Experiment results</span>
      </p>
      <Title {...standing} />
    </header>
  );
}

/** The name of the experiment, its status, and from when the figures are. */
export function Title({ results, asOf, lastEventAt }: Standing) {
  const { name, status } = results.experiment;
  return (
    <>
      <h1>
        <Name>{name}</Name>
      </h1>
      <p class="meta">
        <StatusBadge status={status} />
        <span>
          As of <ExactMoment at={asOf} />
        </span>
        {lastEventAt !== null && (
          <span>
            Last event <ExactMoment at={lastEventAt} />
          </span>
        )}
      </p>
    </>
  );
}

function ExactMoment({ at }: { at: Micros }) {
  return (
    <span class="nowrap">
      <Moment at={formatMicros(at)} />
    </span>
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
