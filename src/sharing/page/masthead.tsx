import { formatMicros, Micros } from '../../common/time/clock';
import { Moment, Name } from '../../presentation/components/text';
import { formatCertainty, formatCount } from '../../presentation/text/numbers';
import { passedDays } from '../../presentation/text/words';
import type { ExperimentResults } from '../../results/experiment-results';
import type { ResultsHeader } from '../share-model';
import { StatusBadge } from './badges';

/** The header of the page. */
export function Masthead(header: ResultsHeader) {
  return (
    <header class="masthead">
      <p class="topline">
        <span class="brand">Gosset</span>
        <span>Experiment results</span>
      </p>
      <Title {...header} />
    </header>
  );
}

/** The experiment's name and status, and the time to which the figures refer. */
export function Title({ results, asOf, lastEventAt }: ResultsHeader) {
  const { name, status, isFinal } = results.experiment;
  return (
    <>
      <h1>
        <Name>{name}</Name>
      </h1>
      <p class="meta">
        <StatusBadge status={status} isFinal={isFinal} />
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

/** The key figures of the experiment. */
export function Facts({ results }: { results: ExperimentResults }) {
  const { participants, daysRunning, significance } = results;
  return (
    <dl class="facts">
      <Fact title="Participants" figure={formatCount(participants)} />
      <Fact title="Running" figure={passedDays(daysRunning)} />
      <Fact title="Required confidence" figure={formatCertainty(significance)} />
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
