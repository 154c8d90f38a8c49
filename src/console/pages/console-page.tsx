import type { ComponentChildren } from 'preact';
import type { Role } from '../../platform/access/roles';
import { Notice } from '../../account/pages/fields';
import { Content, Frame, FramedPage, type Section } from '../../account/pages/frame';
import { Name } from '../../presentation/components/text';
import { plainName } from '../../presentation/text/words';
import type { ProjectRecord } from '../../projects/project.record';

/** A breadcrumb. */
export interface Crumb {
  /** Path relative to the first page; empty for the first page. Null for a form, which is not linked. */
  path: string | null;
  name: string;
}

/** The common data of a project's pages. */
export interface ProjectPageBase {
  project: ProjectRecord;
  /** The user's role in the project's team. */
  role: Role;
  /** The result of the form that led to the page. */
  notice: string | null;
}

interface ConsolePageProps {
  frame: Frame;
  title: string;
  prefix?: string;
  section?: Section;
  /** Breadcrumbs from the first page to this one; empty on the first page. */
  crumbs?: readonly Crumb[];
  /** The result of the form that led to this page. */
  notice?: string | null;
  children: ComponentChildren;
}

/** A page of the console. */
export function ConsolePage({
  frame,
  title,
  prefix,
  section = 'experiments',
  crumbs = [],
  notice = null,
  children,
}: ConsolePageProps) {
  return (
    <FramedPage frame={frame} title={plainName(title)} prefix={prefix} section={section}>
      {crumbs.length > 0 && <Crumbs frame={frame} crumbs={crumbs} />}
      <Content class="console">
        {notice !== null && <Notice tone="better">{notice}</Notice>}
        {children}
      </Content>
    </FramedPage>
  );
}

function Crumbs({ frame, crumbs }: { frame: Frame; crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs small" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href={`${frame.base}/`}>Experiments</a>
        </li>
        {crumbs.map(({ path, name }, index) => (
          <li key={path}>
            <a
              href={path === null ? undefined : `${frame.base}${path}`}
              aria-current={index === crumbs.length - 1 ? 'page' : undefined}
            >
              <Name>{name}</Name>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The path of the search across all teams. */
export const SEARCH_PATH = '/experiments';

/** The path of a project's page. */
export const projectPath = (projectId: number): string => `/projects/${projectId}`;

/** The path of the page with a project's latest messages. */
export const liveEventsPath = (projectId: number): string => `${projectPath(projectId)}/live-events`;

/** The path of the page with a project's goals, pages, audiences and environments. */
export const definitionsPath = (projectId: number): string => `${projectPath(projectId)}/definitions`;

/** The path of the page with a project's webhooks. */
export const webhooksPath = (projectId: number): string => `${projectPath(projectId)}/webhooks`;

/** The path of the page with a project's publications. */
export const publicationsPath = (projectId: number): string => `${projectPath(projectId)}/publications`;

/** The path of the page with a project's changes. */
export const historyPath = (projectId: number): string => `${projectPath(projectId)}/audit`;

/** The path of the page with the changes to an experiment. */
export const changesPath = (projectId: number, experimentId: number): string =>
  `${historyPath(projectId)}?item_type=experiment&item_id=${experimentId}`;

/** The path of the form that reverts a change. */
export const revertPath = (projectId: number, entryId: number): string =>
  `${historyPath(projectId)}/${entryId}/revert`;

/** The path of the form that publishes an earlier revision again. */
export const rollbackPath = (projectId: number, revision: number): string =>
  `${publicationsPath(projectId)}/${revision}/rollback`;

/** The path of an experiment's page. */
export const experimentPagePath = (projectId: number, experimentId: number): string =>
  `${projectPath(projectId)}/experiments/${experimentId}`;

/** The path of the page with the code of an experiment and its variations. */
export const codePath = (projectId: number, experimentId: number): string =>
  `${experimentPagePath(projectId, experimentId)}/code`;
