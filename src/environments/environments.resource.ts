import { defineReadOnlyResource } from '../projects/resources/resource';
import { Environment } from './environment.entity';
import { EnvironmentRecord, toEnvironmentRecord } from './environment.record';

export const ENVIRONMENTS = defineReadOnlyResource({
  type: 'environment',
  collection: 'environments',
  entity: Environment,
  record: EnvironmentRecord,
  toRecord: toEnvironmentRecord,
  texts: {
    chapter: 'Installations of a site, such as production and staging. Changed by admins of the team.',
    purpose: `An environment is an installation of the site, such as production or staging. New experiments get the default
environment (\`is_default\`). These addresses are read-only. Admins of the team create, change and delete environments at
\`/api/projects/{project}/settings/environments\`.`,
  },
});
