import type { Frame } from '../../account/pages/frame';
import { formatMicros, type Micros } from '../../common/time/clock';
import type { RecentList } from '../../events/recent/recent-events.service';
import { type Outcome, OUTCOMES } from '../../events/recent/outcomes';
import { reasonText } from '../../events/recent/recent-events.reference';
import type { RecentMessage } from '../../events/recent/recent-message';
import type { Source } from '../../events/recent/sending';
import { type Column, Table } from '../../presentation/components/table';
import { Moment, Name, None } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatSecond } from '../../presentation/text/dates';
import { formatCount } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { ProjectRecord } from '../../projects/project.record';
import { ConsolePage, liveEventsPath, projectPath } from './console-page';

export interface LiveEventsPage {
  project: ProjectRecord;
  /** The messages with all outcomes. */
  list: RecentList;
  /** The selected outcome; null for all. */
  outcome: Outcome | null;
}

const OUTCOME_NAMES: Record<Outcome, string> = {
  accepted: 'Accepted',
  duplicate: 'Duplicate',
  excluded: 'Excluded',
  ignored: 'Ignored',
  rejected: 'Rejected',
  refused: 'Refused',
};

/** Explanations of outcomes that have no reason. */
const OUTCOME_TEXTS: Partial<Record<Outcome, string>> = {
  duplicate: 'The message is already stored and counts only once.',
  excluded: 'The visitor is excluded from the results.',
  ignored: 'The message is not an event.',
};

const SOURCE_NAMES: Record<Source, string> = {
  snippet: 'Snippet',
  batch: 'Batch',
  segment: 'Segment library',
  track: 'Track',
  decide: 'Decide',
  sdk: 'GrowthBook SDK',
  ofrep: 'OpenFeature',
  trusted: 'API token',
};

/** The page with a project's latest messages. The URL contains the whole state of the page. */
export function renderLiveEventsPage(frame: Frame, { project, list, outcome }: LiveEventsPage): string {
  const path = projectPath(project.id);
  const address = `${frame.base}${liveEventsPath(project.id)}`;
  const crumbs = [
    { path, name: project.name },
    { path: liveEventsPath(project.id), name: 'Live events' },
  ];
  const shown = list.messages.filter((message) => outcome === null || message.outcome === outcome);
  return renderPage(
    <ConsolePage frame={frame} title={`Live events, ${project.name}`} crumbs={crumbs}>
      <header class="masthead">
        <h1>Live events</h1>
        <p class="description">
          The latest messages that <Name>{project.name}</Name> received, with their outcomes.
        </p>
      </header>
      <section class="card stack" aria-labelledby="messages">
        <h2 id="messages">{plural(list.messages.length, 'message')}</h2>
        <Since list={list} />
        <div class="list-filter screen-only">
          <Filter address={address} list={list} outcome={outcome} />
          <a class="link-button" href={outcome === null ? address : `${address}?outcome=${outcome}`}>
            Refresh
          </a>
        </div>
        {list.messages.length === 0 ? (
          <Nothing since={list.since} projectAddress={`${frame.base}${path}`} />
        ) : shown.length === 0 ? (
          <p>None of these messages has this outcome.</p>
        ) : (
          <Messages messages={shown} />
        )}
      </section>
    </ConsolePage>,
  );
}

function Since({ list: { since, isShared } }: { list: RecentList }) {
  return (
    <p class="small muted">
      The last 200 messages since <Moment at={formatMicros(since)} />, newest first
      {isShared ? ', across all server processes' : ''}. Times are in UTC.
    </p>
  );
}

function Filter({ address, list, outcome }: Omit<LiveEventsPage, 'project'> & { address: string }) {
  const countOf = (name: Outcome | null): number =>
    list.messages.filter((message) => name === null || message.outcome === name).length;
  const choices = [null, ...OUTCOMES].filter(
    (name) => name === null || name === outcome || countOf(name) > 0,
  );
  return (
    <nav aria-label="Messages by outcome">
      <ul class="choices-list">
        {choices.map((name) => (
          <li key={name ?? 'all'}>
            <a
              href={name === null ? address : `${address}?outcome=${name}`}
              aria-current={name === outcome ? 'true' : undefined}
            >
              {name === null ? 'All' : OUTCOME_NAMES[name]}{' '}
              <span class="count">{formatCount(countOf(name))}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Instructions until a message arrives. The server may have forgotten earlier messages. */
function Nothing({ since, projectAddress }: { since: Micros; projectAddress: string }) {
  return (
    <>
      <p>
        No events have arrived since <Moment at={formatMicros(since)} />. To see one:
      </p>
      <ol>
        <li>
          <a href={`${projectAddress}#snippet`}>Install the snippet</a> on a page of your site, or send a
          message with the client key.
        </li>
        <li>
          Open that page in a browser without an ad blocker, and give consent if the page asks for it. The
          snippet sends an event when a running experiment is shown or a goal is reached.
        </li>
        <li>Refresh this page. Refused messages are listed with the reason.</li>
      </ol>
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { key: 'time', title: 'Received' },
  { key: 'message', title: 'Message' },
  { key: 'outcome', title: 'Outcome' },
  { key: 'visitor', title: 'Visitor' },
  { key: 'source', title: 'From' },
];

function Messages({ messages }: { messages: readonly RecentMessage[] }) {
  const rows = messages.map((message) => ({
    key: message.id,
    cells: [
      <Received at={message.receivedAt} />,
      <What message={message} />,
      <Verdict message={message} />,
      message.visitor === null ? <None reason="no visitor" /> : <Name>{message.visitor}</Name>,
      <From message={message} />,
    ],
  }));
  return (
    <div class="event-list">
      <Table caption="Messages, newest first" hidesCaption columns={COLUMNS} rows={rows} form="cards" />
    </div>
  );
}

const Received = ({ at }: { at: Micros }) => <time datetime={formatMicros(at)}>{formatSecond(at)}</time>;

function What({ message }: { message: RecentMessage }) {
  const { outcome, type, event, experiment, variation, value, detail } = message;
  const name = event ?? (type === 'page' ? 'Page view' : type);
  const parts = [
    experiment === null ? null : `experiment ${experiment}`,
    variation === null ? null : `variation ${variation}`,
    value === null ? null : `value ${value}`,
    detail,
  ].filter((part) => part !== null);
  return (
    <>
      {name === null ? (
        <span class="muted">{outcome === 'refused' ? 'Request' : 'Message without a type'}</span>
      ) : (
        <Name>{name}</Name>
      )}
      {parts.length > 0 && (
        <span class="range">
          <Name>{parts.join(', ')}</Name>
        </span>
      )}
    </>
  );
}

function Verdict({ message: { outcome, reason } }: { message: RecentMessage }) {
  const text = reason === null ? OUTCOME_TEXTS[outcome] : reasonText(reason);
  return (
    <>
      <span class={`status outcome-${outcome}`}>{OUTCOME_NAMES[outcome]}</span>
      {text !== undefined && <span class="range">{text}</span>}
      {reason !== null && (
        <span class="range">
          <code>{reason}</code>
        </span>
      )}
    </>
  );
}

function From({ message: { source, host } }: { message: RecentMessage }) {
  return (
    <>
      {SOURCE_NAMES[source]}
      {host !== null && (
        <span class="range">
          <Name>{host}</Name>
        </span>
      )}
    </>
  );
}
