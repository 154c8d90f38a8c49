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
    chapter: 'Installations of a site, such as production and staging. Read-only.',
    purpose: `An environment is an installation of the site, such as production or staging. New experiments get the default
environment (\`is_default\`). Environments are read-only here. Create and change them with the admin command.`,
  },
});
