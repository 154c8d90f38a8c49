import Bowser from 'bowser';
import { Moment } from '../../presentation/components/text';
import { Column, Table } from '../../presentation/components/table';
import { renderPage } from '../../presentation/layout';
import type { SessionRecord } from '../../users/sessions';
import { Notice } from './fields';
import { CsrfField, Frame, SettingsPage } from './frame';

/** The display name of a browser, such as `Firefox on Linux`. @param userAgent null if none is stored */
export function browserName(userAgent: string | null): string {
  // Unknown parts are absent or empty.
  const { browser, os } = Bowser.parse(userAgent || ' ');
  const name = browser.name || 'Unknown browser';
  return browser.name && os.name ? `${name} on ${os.name}` : name;
}

const NOTICES = {
  ended: 'The session was ended. That browser must sign in again.',
  'all-ended': 'All other sessions were ended. Those browsers must sign in again.',
} as const;

type Ended = keyof typeof NOTICES;

export interface SessionsPage {
  sessions: readonly SessionRecord[];
  /** The session of the current browser. */
  currentId: number;
  /** The session or sessions that the user has just ended, if any. */
  ended: Ended | null;
}

/** Reads the notice from the URL. */
export const ended = (notice: unknown): Ended | null =>
  notice === 'ended' || notice === 'all-ended' ? notice : null;

const COLUMNS: readonly Column[] = [
  { key: 'browser', title: 'Browser' },
  { key: 'used', title: 'Last used' },
  { key: 'created', title: 'Signed in' },
  { key: 'end', title: 'Action' },
];

/** The page with the user's sessions. */
export function renderSessionsPage(frame: Frame, { sessions, currentId, ended: done }: SessionsPage): string {
  return renderPage(
    <SettingsPage frame={frame} title="Sessions" current="/settings/sessions">
      {done !== null && <Notice tone="better">{NOTICES[done]}</Notice>}
      <section class="card">
        <Table
          caption="Your active sessions"
          columns={COLUMNS}
          rows={sessions.map((session) => rowOf(frame, session, session.id === currentId))}
          form="cards"
        />
        <p class="small muted">
          “Last used” is accurate to the hour. If you do not recognise a browser, end its session and change
          your password.
        </p>
      </section>
      {sessions.length > 1 && <EndOthers frame={frame} />}
    </SettingsPage>,
  );
}

function rowOf(frame: Frame, session: SessionRecord, isCurrent: boolean) {
  const name = browserName(session.user_agent);
  return {
    key: session.id,
    cells: [
      <bdi>{name}</bdi>,
      <Moment at={session.last_used_at} />,
      <Moment at={session.created_at} />,
      isCurrent ? 'This browser' : <EndForm frame={frame} id={session.id} name={name} />,
    ],
  };
}

function EndForm({ frame, id, name }: { frame: Frame; id: number; name: string }) {
  return (
    <form method="post" action={`${frame.base}/settings/sessions/${id}/end`}>
      <CsrfField frame={frame} />
      <button class="quiet-button" type="submit">
        End session<span class="visually-hidden"> of {name}</span>
      </button>
    </form>
  );
}

function EndOthers({ frame }: { frame: Frame }) {
  return (
    <section class="card">
      <form class="form" method="post" action={`${frame.base}/settings/sessions/end-others`}>
        <h2>End all other sessions</h2>
        <CsrfField frame={frame} />
        <p>This browser stays signed in. API tokens keep working.</p>
        <p class="actions">
          <button class="button danger" type="submit">
            End all other sessions
          </button>
        </p>
      </form>
    </section>
  );
}
