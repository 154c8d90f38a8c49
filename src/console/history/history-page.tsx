import type { Frame } from '../../account/pages/frame';
import { PROJECT_ACTIONS } from '../../audit/audit-log';
import type { ApiError } from '../../common/errors/api-errors';
import type { Listed } from '../../common/http/answers';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { ITEM_TYPES } from '../../audit/history/history-query';
import { CopiedText } from '../../presentation/components/copied-text';
import { Moment, Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import { curlCommand } from '../curl';
import { Author } from '../pages/author';
import {
  ConsolePage,
  historyPath,
  projectPath,
  revertPath,
  type ProjectPageBase,
} from '../pages/console-page';
import { apart, Field, NameField, SearchForm, Select } from '../pages/filter-fields';
import { PageLinks } from '../pages/list-filter';
import { Changes } from '../publications/changes';
import { entryChanges, entryTitle, inWords, obstacleInWords } from './entry-words';
import { apiQuery, type HistoryRequest, historyQuery, isFiltered } from './history-request';

export interface HistoryPage extends ProjectPageBase {
  request: HistoryRequest;
  list: Listed<AuditEntryRecord>;
  lastPage: number;
  /** The users who have changed the project. */
  authors: readonly { id: number; name: string }[];
  /**
   * Why reverting an entry would be rejected now, by entry id; null if reverting would succeed. Omits entries that the
   * user is not allowed to revert and entries that cannot be reverted.
   */
  reverts: ReadonlyMap<number, ApiError | null>;
}

/** The page with a project's changes, newest first. */
export function renderHistoryPage(frame: Frame, page: HistoryPage): string {
  const { project, notice, request, list, lastPage } = page;
  const path = historyPath(project.id);
  const address = `${frame.base}${path}`;
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path, name: 'History' },
  ];
  return renderPage(
    <ConsolePage frame={frame} title={`History, ${project.name}`} crumbs={crumbs} notice={notice}>
      <header class="masthead">
        <h1>
          History <span class="count">{formatCount(list.total)}</span>
        </h1>
        <p class="description">
          Every change in <Name>{project.name}</Name>, newest first. Changes to definitions can be reverted.
        </p>
      </header>
      <Filter address={address} page={page} />
      {list.total === 0 && (
        <p>
          No changes match. <a href={address}>Show all</a>
        </p>
      )}
      {list.rows.map((entry) => (
        <Entry key={entry.id} frame={frame} entry={entry} page={page} />
      ))}
      <PageLinks
        page={request.page}
        lastPage={lastPage}
        link={(number) => `${address}${historyQuery({ ...request, page: number })}`}
      />
      <details class="screen-only">
        <summary>Show as curl</summary>
        <CopiedText id="call" label="API command">
          {curlCommand(frame.publicUrl, { method: 'GET', path: `/api${path}${apiQuery(request)}` })}
        </CopiedText>
      </details>
    </ConsolePage>,
  );
}

function Filter({ address, page: { request, authors } }: { address: string; page: HistoryPage }) {
  const choices = (names: readonly string[]) => names.map((name) => ({ id: name, name: inWords(name) }));
  return (
    <SearchForm address={address} isFiltered={isFiltered(request)}>
      <NameField value={request.search} />
      <Select name="item_type" label="Kind" options={choices(ITEM_TYPES)} chosen={request.item_type} />
      <Field name="item_id" label="Id">
        <input type="text" id="item_id" name="item_id" inputMode="numeric" value={request.item_id} />
      </Field>
      <Select
        name="user_id"
        label="Changed by"
        options={apart(authors)}
        chosen={request.user_id === '' ? null : Number(request.user_id)}
      />
      <Select name="action" label="Action" options={choices(PROJECT_ACTIONS)} chosen={request.action} />
      <Field name="since" label="From (UTC)">
        <input type="date" id="since" name="since" value={request.since} />
      </Field>
      <Field name="until" label="To (UTC)">
        <input type="date" id="until" name="until" value={request.until} />
      </Field>
    </SearchForm>
  );
}

interface EntryProps {
  frame: Frame;
  entry: AuditEntryRecord;
  page: HistoryPage;
}

function Entry({ frame, entry, page: { project, reverts } }: EntryProps) {
  const title = entryTitle(entry);
  const obstacle = reverts.get(entry.id);
  const changes = entryChanges(entry);
  return (
    <section class="card stack">
      <h2>
        <Name>{title}</Name>
      </h2>
      <p class="small">
        <Moment at={entry.created_at} />, <Author actor={entry.actor} />
      </p>
      {changes.length > 0 && <Changes changes={changes} />}
      {obstacle === null && (
        <p class="action-links">
          <a href={`${frame.base}${revertPath(project.id, entry.id)}`}>
            Revert<span class="visually-hidden">: {title}</span>
          </a>
        </p>
      )}
      {obstacle && <p class="small muted">Cannot be reverted now: {obstacleInWords(obstacle)}</p>}
    </section>
  );
}
