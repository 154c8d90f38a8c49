import { readTexts } from '../common/openapi/resource-texts';

const ENVIRONMENT = { id: 'Environment', one: 'an environment', many: 'the environments of a project' };

/** What the reference says about environments. */
export const ENVIRONMENT_TEXTS = {
  ...readTexts(
    ENVIRONMENT,
    `An environment is a place in which the site runs, such as production or staging. New experiments get the default one
(\`is_default\`). They are read-only here, and made and changed with the admin command.`,
  ),
};
