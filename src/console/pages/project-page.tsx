import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import type { Connection } from '../../projects/installation/installation.service';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCertainty, formatCount } from '../../presentation/text/numbers';
import { plural } from '../../presentation/text/words';
import type { ProjectRecord } from '../../projects/project.record';
import type { ExperimentPage } from '../experiment-list';
import { editProjectPath, editSettingsPath, newExperimentPath } from '../project-forms/paths';
import { Call, TokenHint, ShowAsCurl } from './show-as-curl';
import {
  ConsolePage,
  definitionsPath,
  historyPath,
  liveEventsPath,
  projectPath,
  publicationsPath,
  webhooksPath,
  type ProjectPageBase,
} from './console-page';
import { ExperimentTable } from './experiment-table';
import { FactsList, Setting } from './facts-list';
import { InstallationCard, SnippetTag } from './installation-card';
import { ListFilter, Pages } from './list-filter';

/** Display names of the statistical methods. */
export const METHODS: Record<ProjectRecord['statistics_method'], string> = {
  sequential: 'Sequential: valid on any day',
  planned: 'Planned: valid on any day until the planned sample size is reached',
  frequentist: 'Frequentist: valid only at the planned end',
  bayesian: 'Bayesian: valid only at the planned end',
};

/** Descriptions of where the browser stores a visitor's assignment. */
const STORAGES: Record<ProjectRecord['storage'], string> = {
  localStorage: 'Local storage',
  cookie: 'A cookie',
};

export interface ProjectPage extends ProjectPageBase {
  publicUrl: string;
  list: ExperimentPage;
  connection: Connection;
}

/** The page of a project: its experiments and settings. */
export function renderProjectPage(frame: Frame, page: ProjectPage): string {
  const { project, list } = page;
  const path = projectPath(project.id);
  return renderPage(
    <ConsolePage
      frame={frame}
      title={project.name}
      crumbs={[{ path, name: project.name }]}
      notice={page.notice}
    >
      <header class="masthead">
        <h1>
          <Name>{project.name}</Name>
        </h1>
        {project.description !== null && <p class="description">{project.description}</p>}
        <p class="page-links">
          <a href={`${frame.base}${path}/plan`}>Plan the sample size of an experiment</a>
          <a href={`${frame.base}${liveEventsPath(project.id)}`}>Live events</a>
          <a href={`${frame.base}${definitionsPath(project.id)}`}>Goals, pages and audiences</a>
          <a href={`${frame.base}${publicationsPath(project.id)}`}>Publications</a>
          <a href={`${frame.base}${historyPath(project.id)}`}>History</a>
          {roleAllows(page.role, 'project:settings') && (
            <a href={`${frame.base}${webhooksPath(project.id)}`}>Webhooks</a>
          )}
        </p>
        {roleAllows(page.role, 'definitions:write') && (
          <p>
            <a class="button" href={`${frame.base}${newExperimentPath(project.id)}`}>
              New experiment
            </a>
          </p>
        )}
      </header>
      {isEmpty(list) ? <NoExperiments frame={frame} {...page} /> : <Experiments frame={frame} {...page} />}
      <SnippetTag url={project.snippet_url} />
      <InstallationCard frame={frame} projectId={project.id} connection={page.connection} list={list} />
      <Settings frame={frame} project={project} role={page.role} />
      <AsCode frame={frame} project={project} />
    </ConsolePage>,
  );
}

const isEmpty = ({ counts, request }: ExperimentPage): boolean => counts.size === 0 && request.search === '';

function NoExperiments({ frame, project, role, publicUrl }: ProjectPage & { frame: Frame }) {
  const variations = [{ name: 'Original' }, { name: 'Variation' }];
  const body = { name: 'My first experiment', variations };
  const call = { method: 'POST', path: `/api/projects/${project.id}/experiments`, body } as const;
  return (
    <section class="card stack" aria-labelledby="none">
      <h2 id="none">No experiments yet</h2>
      <p>An experiment shows visitors different variations of your site and compares what they do.</p>
      {roleAllows(role, 'definitions:write') && (
        <p>
          <a href={`${frame.base}${newExperimentPath(project.id)}`}>Create the first one</a> here or through
          the API. The experiment page then shows what it needs before it can start.
        </p>
      )}
      <Call id="create" publicUrl={publicUrl} role={role} permission="definitions:write" call={call} />
      {roleAllows(role, 'definitions:write') && <TokenHint frame={frame} />}
    </section>
  );
}

function Experiments({ frame, project, list }: ProjectPage & { frame: Frame }) {
  const { experiments, request, lastPage } = list;
  const address = `${frame.base}${projectPath(project.id)}`;
  const caption = lastPage === 1 ? 'Experiments' : `Experiments, page ${request.page} of ${lastPage}`;
  return (
    <section class="card stack" aria-labelledby="experiments">
      <h2 id="experiments">Experiments</h2>
      <ListFilter address={address} list={list} />
      {experiments.length === 0 ? (
        <p>
          No experiments match. <a href={address}>Show all</a>
        </p>
      ) : (
        <ExperimentTable frame={frame} projectId={project.id} caption={caption} experiments={experiments} />
      )}
      <Pages address={address} list={list} />
    </section>
  );
}

/** The card about configuration as code. */
function AsCode({ frame, project }: { frame: Frame; project: ProjectRecord }) {
  return (
    <section class="card stack screen-only" aria-labelledby="as-code">
      <h2 id="as-code">Configuration as code</h2>
      <p>
        All of the project’s definitions are also available as one document without ids. Keep it in git,
        review changes, and let your pipeline apply them. The commands <code>gosset export</code>,{' '}
        <code>gosset plan</code> and <code>gosset apply</code> come with the TypeScript client.
      </p>
      <p class="page-links">
        <a href={`${frame.base}/docs#/Projects/showDefinition`}>Reference</a>
      </p>
      <ShowAsCurl
        id="definition-curl"
        frame={frame}
        call={{ method: 'GET', path: `/api/projects/${project.id}/definition` }}
      />
    </section>
  );
}

function Settings({ frame, project, role }: { frame: Frame } & Pick<ProjectPage, 'project' | 'role'>) {
  const { snippet_revision: revision } = project;
  return (
    <section class="card stack" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <FactsList>
        <Setting title="Required confidence">{formatCertainty(project.significance / 100)}</Setting>
        <Setting title="Statistical method">{METHODS[project.statistics_method]}</Setting>
        <Setting title="Minimum conversions">
          {formatCount(project.min_conversions)} ({formatCount(2 * project.min_conversions)} in the original
          and a variation together)
        </Setting>
        <Setting title="Minimum runtime">{plural(project.min_runtime_days, 'day')}</Setting>
        <Setting title="Visitor storage">{STORAGES[project.storage]}</Setting>
        <Setting title="Snippet">
          {revision === 0 ? 'Not published yet' : `Revision ${revision}, version ${project.snippet_version}`}
        </Setting>
        <Setting title="Id">{project.id}</Setting>
      </FactsList>
      {roleAllows(role, 'project:settings') && (
        <p class="page-links screen-only">
          <a href={`${frame.base}${editProjectPath(project.id)}`}>Edit the project</a>
          <a href={`${frame.base}${editSettingsPath(project.id)}`}>All settings</a>
        </p>
      )}
    </section>
  );
}
