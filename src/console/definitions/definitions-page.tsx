import { type Permission, type Role, roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import { plainName } from '../../presentation/text/words';
import { StatusBadge } from '../../sharing/page/badges';
import {
  ConsolePage,
  definitionsPath,
  experimentPagePath,
  type ProjectPageBase,
  projectPath,
} from '../pages/console-page';
import { FactsList, Setting } from '../pages/facts-list';
import { PageLinks } from '../pages/list-filter';
import { ShowAsCurl } from '../pages/show-as-curl';
import {
  environmentPath,
  newAudiencePath,
  newEnvironmentPath,
  newExclusionGroupPath,
  newGoalPath,
  newPagePath,
} from '../project-forms/paths';
import type { Use } from './definition-uses.store';
import { Facts } from './definition-facts';
import {
  DEFINITION_KINDS,
  type DefinitionKind,
  type DefinitionList,
  type DefinitionRecord,
  DEFINITIONS,
} from './definitions';

/** The purpose of each kind of definition. */
const PURPOSES: Record<DefinitionKind, string> = {
  goals:
    'A goal is an action that visitors should take, such as placing an order. Results compare the variations on each goal.',
  pages: 'A page is a set of URLs on which experiments run.',
  audiences:
    'An audience limits experiments to some visitors, such as those on phones. Without one, everyone takes part.',
  exclusion_groups: 'A visitor takes part in at most one experiment in an exclusion group.',
  environments: 'An environment is a deployment of your site, such as production or staging.',
};

/** Explains the purpose of a kind when there are no definitions of it yet. */
function NoDefinitions({ kind }: { kind: DefinitionKind }) {
  return (
    <section class="card stack">
      <p>There are no {DEFINITIONS[kind].plural} yet.</p>
      <p>{PURPOSES[kind]}</p>
    </section>
  );
}

interface DefinitionsPage extends ProjectPageBase {
  list: DefinitionList;
}

/** The page with the definitions of one kind. */
export function renderDefinitionsPage(frame: Frame, definitions: DefinitionsPage): string {
  const { project, role, list, notice } = definitions;
  const { kind, total, page, lastPage } = list;
  const { chapter, path } = DEFINITIONS[kind];
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path: definitionsPath(project.id), name: 'Definitions' },
  ];
  const address = `${frame.base}${definitionsPath(project.id)}`;
  return renderPage(
    <ConsolePage frame={frame} title={`${chapter}, ${project.name}`} crumbs={crumbs} notice={notice}>
      <header class="masthead">
        <h1>
          {chapter} <span class="count">{formatCount(total)}</span>
        </h1>
        <Kinds address={address} current={kind} />
        <NewDefinition frame={frame} page={definitions} />
      </header>
      {total === 0 && <NoDefinitions kind={kind} />}
      {list.records.map((record) => (
        <Definition key={record.id} frame={frame} role={role} list={list} record={record} />
      ))}
      <PageLinks
        page={page}
        lastPage={lastPage}
        link={(number) => `${address}?kind=${kind}&page=${number}`}
      />
      <ShowAsCurl
        id="call"
        frame={frame}
        call={{ method: 'GET', path: `/api/projects/${project.id}/${path}` }}
      />
    </ConsolePage>,
  );
}

interface NewForm {
  permission: Permission;
  path: (projectId: number) => string;
  text: string;
}

/** The forms that create definitions. */
const NEW: Record<DefinitionKind, NewForm> = {
  goals: { permission: 'definitions:write', path: newGoalPath, text: 'New goal' },
  pages: { permission: 'definitions:write', path: newPagePath, text: 'New page' },
  audiences: { permission: 'definitions:write', path: newAudiencePath, text: 'New audience' },
  exclusion_groups: {
    permission: 'definitions:write',
    path: newExclusionGroupPath,
    text: 'New exclusion group',
  },
  environments: { permission: 'environments:manage', path: newEnvironmentPath, text: 'New environment' },
};

function NewDefinition({ frame, page }: { frame: Frame; page: DefinitionsPage }) {
  const { project, role, list } = page;
  const { permission, path, text } = NEW[list.kind];
  return (
    roleAllows(role, permission) && (
      <p class="screen-only">
        <a class="button" href={`${frame.base}${path(project.id)}`}>
          {text}
        </a>
      </p>
    )
  );
}

function Kinds({ address, current }: { address: string; current: DefinitionKind }) {
  return (
    <nav class="tabs" aria-label="Definitions">
      {DEFINITION_KINDS.map((kind) => (
        <a key={kind} href={`${address}?kind=${kind}`} aria-current={kind === current ? 'page' : undefined}>
          {DEFINITIONS[kind].chapter}
        </a>
      ))}
    </nav>
  );
}

interface DefinitionProps {
  frame: Frame;
  role: Role;
  list: DefinitionList;
  record: DefinitionRecord;
}

function Definition({ frame, role, list, record }: DefinitionProps) {
  const { kind, uses, holders, pageNames, pageGoals } = list;
  const { id, project_id: projectId } = record;
  const description = 'description' in record ? record.description : null;
  return (
    <section class="card stack" aria-labelledby={`item-${id}`}>
      <h2 id={`item-${id}`}>
        <Name>{record.name}</Name>
      </h2>
      {description !== null && <p class="description">{description}</p>}
      <FactsList>
        <Facts
          kind={kind}
          record={record}
          holders={holders.get(id) ?? []}
          pageNames={pageNames}
          pageGoals={pageGoals.get(id) ?? []}
        />
        <Setting title="Used by">
          <Uses frame={frame} projectId={projectId} uses={uses.get(id) ?? []} />
        </Setting>
        {'api_name' in record ? (
          <Setting title="Id and API name">
            {id}, <code>{record.api_name}</code>
          </Setting>
        ) : (
          <Setting title="Id">{id}</Setting>
        )}
      </FactsList>
      {kind === 'environments' && roleAllows(role, 'environments:manage') && (
        <EnvironmentLinks frame={frame} environment={record as EnvironmentRecord} />
      )}
    </section>
  );
}

function EnvironmentLinks({ frame, environment }: { frame: Frame; environment: EnvironmentRecord }) {
  const path = (form: 'edit' | 'delete'): string =>
    `${frame.base}${environmentPath({ project: { id: environment.project_id }, environment }, form)}`;
  const name = plainName(environment.name);
  return (
    <p class="page-links screen-only">
      <a href={path('edit')} aria-label={`Edit ${name}`}>
        Edit
      </a>
      {!environment.is_default && (
        <a class="danger-link" href={path('delete')} aria-label={`Delete ${name}`}>
          Delete
        </a>
      )}
    </p>
  );
}

function Uses({ frame, projectId, uses }: { frame: Frame; projectId: number; uses: readonly Use[] }) {
  return uses.length === 0 ? (
    <>No experiment</>
  ) : (
    <ul>
      {uses.map(({ id, name, status }) => (
        <li key={id}>
          <a href={`${frame.base}${experimentPagePath(projectId, id)}`}>
            <Name>{name}</Name>
          </a>{' '}
          <StatusBadge status={status} />
        </li>
      ))}
    </ul>
  );
}
