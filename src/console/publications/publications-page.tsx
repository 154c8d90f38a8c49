import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import type { Listed } from '../../common/http/answers';
import { Moment, Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import type { PublicationRecord } from '../../publishing/changes/publication.record';
import { Author } from '../pages/author';
import {
  ConsolePage,
  projectPath,
  publicationsPath,
  rollbackPath,
  type ProjectPageBase,
} from '../pages/console-page';
import { FactsList, Setting } from '../pages/facts-list';
import { PageLinks } from '../pages/list-filter';
import { ShowAsCurl } from '../pages/show-as-curl';
import { Changes } from './changes';

export interface PublicationsPage extends ProjectPageBase {
  list: Listed<PublicationRecord>;
  page: number;
  lastPage: number;
}

/** The page with the publications, newest first. */
export function renderPublicationsPage(frame: Frame, page: PublicationsPage): string {
  const { project, role, notice, list } = page;
  const path = publicationsPath(project.id);
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path, name: 'Publications' },
  ];
  return renderPage(
    <ConsolePage frame={frame} title={`Publications, ${project.name}`} crumbs={crumbs} notice={notice}>
      <header class="masthead">
        <h1>
          Publications <span class="count">{formatCount(list.total)}</span>
        </h1>
        <p class="description">
          The publications of <Name>{project.name}</Name>, newest first. Each revision is compared with the
          one before it.
        </p>
      </header>
      {list.total === 0 && <p>Nothing has been published yet. Starting an experiment publishes it.</p>}
      {list.rows.map((publication) => (
        <Publication
          key={publication.revision}
          frame={frame}
          projectId={project.id}
          publication={publication}
          mayRollBack={roleAllows(role, 'experiments:run')}
        />
      ))}
      <PageLinks
        page={page.page}
        lastPage={page.lastPage}
        link={(number) => `${frame.base}${path}${number === 1 ? '' : `?page=${number}`}`}
      />
      <ShowAsCurl id="call" frame={frame} call={{ method: 'GET', path: `/api${path}` }} />
    </ConsolePage>,
  );
}

interface PublicationProps {
  frame: Frame;
  projectId: number;
  publication: PublicationRecord;
  mayRollBack: boolean;
}

function Publication({ frame, projectId, publication, mayRollBack }: PublicationProps) {
  const { revision, is_live: isLive, created_at: at, actor, changes } = publication;
  return (
    <section class="card stack" aria-labelledby={`revision-${revision}`}>
      <h2 id={`revision-${revision}`}>
        Revision {revision} {isLive && <span class="status status-running">Live</span>}
      </h2>
      <FactsList>
        <Setting title="When">
          <Moment at={at} />
        </Setting>
        <Setting title="Who">
          <Author actor={actor} />
        </Setting>
        <Setting title="Reason">{reasonOf(publication)}</Setting>
      </FactsList>
      <Changes changes={changes} />
      {mayRollBack && !isLive && (
        <p class="action-links">
          <a href={`${frame.base}${rollbackPath(projectId, revision)}`}>
            Roll back to this revision<span class="visually-hidden">: {revision}</span>
          </a>
        </p>
      )}
    </section>
  );
}

function reasonOf({ reason, source_revision: source }: PublicationRecord): string {
  switch (reason) {
    case 'publish':
      return 'The changes were published';
    case 'status':
      return 'An experiment was started or stopped';
    case 'rollback':
      return source === null ? 'Rollback' : `Rollback to revision ${source}`;
  }
}
