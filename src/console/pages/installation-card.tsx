import type { Frame } from '../../account/pages/frame';
import { reasonText } from '../../events/recent/recent-events.reference';
import { CopiedText } from '../../presentation/components/copied-text';
import { Moment, Name } from '../../presentation/components/text';
import { formatCount } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { RunningCheck } from '../../projects/installation/installation.record';
import { runningCheck, type Connection } from '../../projects/installation/installation.service';
import type { ExperimentPage } from '../experiment-list';
import { experimentPagePath, liveEventsPath } from './console-page';
import { FactsList, Setting } from './facts-list';

interface CardProps {
  frame: Frame;
  projectId: number;
  connection: Connection;
  list: ExperimentPage;
}

/** Shows whether the site is connected, and what to do next. */
export function InstallationCard({ frame, projectId, connection, list }: CardProps) {
  const { snippet, last_message_at, last_exposure_at, last_counted_at, last_hour } = connection;
  const experiments = runningChecks(list);
  const hidden = (list.counts.get('running') ?? 0) - experiments.length;
  const events = `${frame.base}${liveEventsPath(projectId)}`;
  return (
    <section class="card stack" aria-labelledby="installation">
      <h2 id="installation">Installation</h2>
      <p>{nextStep(connection, experiments)}</p>
      <FactsList>
        <Setting title="Snippet last seen">
          <Seen at={snippet.last_seen_at} />
        </Setting>
        {snippet.hosts.length > 0 && (
          <Setting title="On">
            <ul class="plain-list">
              {snippet.hosts.map(({ host }) => (
                <li key={host}>
                  <Name>{host}</Name>
                </li>
              ))}
            </ul>
          </Setting>
        )}
        <Setting title="Last message">
          <Seen at={last_message_at} />
        </Setting>
        <Setting title="Last exposure">
          <Seen at={last_exposure_at} />
        </Setting>
        <Setting title="Last event counted in results">
          <Seen at={last_counted_at} otherwise="None yet" />
        </Setting>
        <Setting title="Messages in the last hour">
          {formatCount(last_hour.accepted)} accepted, {formatCount(last_hour.rejected)} rejected
        </Setting>
        {last_hour.script_errors > 0 && (
          <Setting title="Experiment code errors">
            {formatCount(last_hour.script_errors)} in the last hour
          </Setting>
        )}
        {experiments.length > 0 && (
          <Setting title="Sample ratio">
            <SampleRatio frame={frame} projectId={projectId} experiments={experiments} />
            {hidden > 0 && (
              <p class="small muted">
                Does not include {plural(hidden, 'running experiment')} on the next pages of the list.
              </p>
            )}
          </Setting>
        )}
      </FactsList>
      <Reasons reasons={last_hour.rejected_by_reason} />
      <p class="small muted">
        Snippet and message activity since <Moment at={connection.since} />
        {connection.is_shared ? ', across all server processes' : ''}.
      </p>
      <p>
        <a href={events}>Live events</a>
      </p>
    </section>
  );
}

/** The server forgets old messages, so if there is no time, a message may still have arrived. */
function Seen({ at, otherwise = 'None known' }: { at: string | null; otherwise?: string }) {
  return at === null ? <>{otherwise}</> : <Moment at={at} />;
}

function Reasons({ reasons }: { reasons: Readonly<Record<string, number>> }) {
  const sorted = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  return sorted.length === 0 ? null : (
    <div>
      <h3>Rejected in the last hour</h3>
      <ul>
        {sorted.map(([reason, count]) => (
          <li key={reason}>
            {formatCount(count)} × <code>{reason}</code>: {reasonText(reason)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function SampleRatio({
  frame,
  projectId,
  experiments,
}: Pick<CardProps, 'frame' | 'projectId'> & { experiments: readonly RunningCheck[] }) {
  const wrong = experiments.filter(({ sample_ratio }) => sample_ratio === 'mismatch');
  return wrong.length === 0 ? (
    <>{testedWords(experiments)}</>
  ) : (
    <>
      Mismatch in{' '}
      <ul class="plain-list">
        {wrong.map(({ id, name }) => (
          <li key={id}>
            <a href={`${frame.base}${experimentPagePath(projectId, id)}`}>
              <Name>{name}</Name>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** `Passed in 2 running experiments, not tested yet in 1` */
function testedWords(experiments: readonly RunningCheck[]): string {
  const passed = experiments.filter(({ sample_ratio }) => sample_ratio === 'passed').length;
  const untested = experiments.length - passed;
  if (passed === 0) {
    return 'Not tested yet';
  }
  const rest = untested === 0 ? '' : `, not tested yet in ${formatCount(untested)}`;
  return `Passed in ${plural(passed, 'running experiment')}${rest}`;
}

/**
 * The running experiments, which come first in the list; empty if some may be hidden, because the list is filtered or
 * shows a later page.
 */
function runningChecks({ request, experiments }: ExperimentPage): RunningCheck[] {
  const isWhole = request.search === '' && request.page === 1;
  return experiments.flatMap(({ id, name, status, overview }) =>
    isWhole && status === 'running' && overview !== null
      ? [runningCheck({ id, name }, overview.results.participants, overview.results.sampleRatio)]
      : [],
  );
}

/** One sentence about the state, and what to do next. */
function nextStep(
  { snippet, last_message_at, last_counted_at, last_hour }: Connection,
  experiments: readonly RunningCheck[],
): string {
  if (experiments.some(({ sample_ratio }) => sample_ratio === 'mismatch')) {
    const beginning = last_message_at === null ? 'A' : 'Events are arriving, but a';
    return `${beginning} running experiment has a sample ratio mismatch. Do not trust its results until you know the cause.`;
  }
  if (last_message_at === null && last_counted_at !== null) {
    return 'No events have arrived recently, but earlier events are in the results. Open a page on your site and look at the live events.';
  }
  if (last_message_at === null) {
    return snippet.last_seen_at === null
      ? 'No events have arrived yet. Add the snippet to your pages, open one of them in a browser, and reload this page.'
      : 'The snippet is installed, but no events have arrived yet. Start an experiment, open a page where it runs, and look at the live events.';
  }
  if (last_hour.rejected > last_hour.accepted) {
    return 'Messages are arriving, but most are rejected. See the reasons below, and the messages in the live events.';
  }
  if (last_hour.script_errors > 0) {
    return 'Events are arriving, but an experiment’s code fails in some browsers. The live events show the errors.';
  }
  return last_hour.accepted === 0
    ? 'Events have arrived, but none in the last hour.'
    : 'Events are arriving.';
}

interface SnippetTagProps {
  url: string;
  /** Whether to collapse the tag, on pages that are mainly about something else. */
  isFolded?: boolean;
}

/** The script tag to install. */
export function SnippetTag({ url, isFolded = false }: SnippetTagProps) {
  const heading = <h2 id="snippet">Install the snippet</h2>;
  return (
    <section class="card stack" aria-labelledby="snippet">
      {isFolded ? (
        <details class="printed-open">
          <summary>{heading}</summary>
          <Tag url={url} />
        </details>
      ) : (
        <>
          {heading}
          <Tag url={url} />
        </>
      )}
    </section>
  );
}

function Tag({ url }: Pick<SnippetTagProps, 'url'>) {
  return (
    <>
      <p class="muted">
        This tag runs all experiments in the project. Put it first in the <code>{'<head>'}</code> of every
        page.
      </p>
      <CopiedText id="snippet-tag" label="HTML">
        {`<script src="${url}"></script>`}
      </CopiedText>
    </>
  );
}
