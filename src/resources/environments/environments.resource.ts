import { changeTexts, createText } from '../../common/openapi/resource-texts';
import { defineReadOnlyResource } from '../../projects/resources/resource';
import { Environment } from './environment.entity';
import { EnvironmentRecord, toEnvironmentRecord } from './environment.record';

/** Maximum number of environments in a project. */
export const MAX_ENVIRONMENTS = 50;

const ENVIRONMENT = { id: 'Environment', one: 'an environment', many: 'the environments of a project' };

const { patch, remove } = changeTexts(ENVIRONMENT, {
  update: `Visitors see a change with the next publication. \`is_default: true\` replaces the current default environment; every project has exactly one, so \`false\` is rejected for the default environment. SDKs refer to an environment by its \`api_name\`.
After the publication, the old \`api_name\` is no longer known.`,
  remove: `Detaches the environment from experiments. Visitors see the change with the next publication, and SDKs that ask for
the environment then get 422. Rejected with 422 for the default environment, or if it is the only environment of a running experiment.`,
});

/** Reference texts for changes to environments. */
export const ENVIRONMENT_TEXTS = {
  create: createText(
    ENVIRONMENT,
    `Creates an environment for the project's experiments; without \`code\`, it applies to all URLs. Names must be unique
within the project, because the admin command finds environments by name. A project can have up to ${MAX_ENVIRONMENTS} environments. Only team admins can
create, change and delete environments.`,
  ),
  update: { ...patch, summary: 'Update an environment' },
  remove,
};

export const ENVIRONMENTS = defineReadOnlyResource({
  type: 'environment',
  collection: 'environments',
  entity: Environment,
  record: EnvironmentRecord,
  toRecord: toEnvironmentRecord,
  texts: {
    chapter: 'Installations of a site, such as production and staging. Only team admins can change them.',
    purpose: `An environment is an installation of the site, such as production or staging. New experiments get the default
environment (\`is_default\`). These endpoints are read-only. Team admins create, change and delete environments at
\`/api/projects/{project}/settings/environments\`.`,
  },
});
