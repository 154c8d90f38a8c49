import { type Permission, type Role, roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { CreateAudience } from '../../resources/audiences/audience.record';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import { plainName } from '../../presentation/text/words';
import { CreateExclusionGroup } from '../../resources/exclusion-groups/exclusion-group.record';
import { StatusBadge } from '../../sharing/page/status-badge';
import { Call, TokenHint } from '../pages/calls';
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
import { environmentPath } from '../project-forms/paths';
import type { Use } from './definition-uses.store';
import { Facts } from './definition-facts';
import {
  DEFINITION_KINDS,
  type DefinitionKind,
  type DefinitionList,
  type DefinitionRecord,
  DEFINITIONS,
} from './definitions';

/** What the definitions of a kind are for. */
const PURPOSES: Record<DefinitionKind, string> = {
  goals: 'A goal is what visitors should do, such as an order. Results compare the variations by it.',
  pages: 'A page defines, by URL, where experiments run.',
  audiences:
    'An audience limits experiments to some visitors, such as those on phones. Without one, everyone takes part.',
  exclusion_groups: 'A visitor takes part in at most one experiment of an exclusion group.',
  environments: 'An environment is an installation of your site, such as production or staging.',
};

/** Bodies for the kinds without a form in the console. */
const EXAMPLES: Partial<Record<DefinitionKind, object>> = {
  audiences: CreateAudience.example,
  exclusion_groups: CreateExclusionGroup.example,
};

interface NoDefinitionsProps extends Pick<ProjectPageBase, 'project' | 'role'> {
  frame: Frame;
  kind: DefinitionKind;
}

/** What the missing definitions are for, and how to create the first one, for users who may. */
function NoDefinitions({ frame, project, role, kind }: NoDefinitionsProps) {
  const { plural, path } = DEFINITIONS[kind];
  const body = EXAMPLES[kind];
  const permission = 'definitions:write';
  return (
    <section class="card stack">
      <p>There are no {plural} yet.</p>
      <p>{PURPOSES[kind]}</p>
      {body !== undefined && roleAllows(role, permission) && (
        <>
          <p>Create the first one over the API, for example:</p>
          <Call
            id="create"
            publicUrl={frame.publicUrl}
            role={role}
            permission={permission}
            call={{ method: 'POST', path: `/api/projects/${project.id}/${path}`, body }}
          />
          <TokenHint frame={frame} />
        </>
      )}
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
      {total === 0 && <NoDefinitions frame={frame} project={project} role={role} kind={kind} />}
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

/** The forms that create definitions, with the permissions that they need. */
const NEW: Partial<Record<DefinitionKind, { permission: Permission; form: string; text: string }>> = {
  goals: { permission: 'definitions:write', form: 'goals/new', text: 'New goal' },
  pages: { permission: 'definitions:write', form: 'pages/new', text: 'New page' },
  environments: {
    permission: 'environments:manage',
    form: 'settings/environments/add',
    text: 'New environment',
  },
};

function NewDefinition({ frame, page }: { frame: Frame; page: DefinitionsPage }) {
  const { project, role, list } = page;
  const added = NEW[list.kind];
  return added === undefined || !roleAllows(role, added.permission) ? null : (
    <p class="screen-only">
      <a class="button" href={`${frame.base}${projectPath(project.id)}/${added.form}`}>
        {added.text}
      </a>
    </p>
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
