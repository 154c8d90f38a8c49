import { roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { CreateAudience } from '../../resources/audiences/audience.record';
import { CreateExclusionGroup } from '../../resources/exclusion-groups/exclusion-group.record';
import { Call, TokenHint } from '../pages/calls';
import type { ProjectPageBase } from '../pages/console-page';
import { DEFINITIONS, type DefinitionKind } from './definitions';

/** What the definitions of a kind are for. */
const PURPOSES: Record<DefinitionKind, string> = {
  goals: 'A goal is what visitors should do, such as an order. Results compare the variations by it.',
  pages: 'A page says by its URL where experiments run.',
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
export function NoDefinitions({ frame, project, role, kind }: NoDefinitionsProps) {
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
