import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';

/** Projects of a team that are not deleted. */
export const MAX_PROJECTS = 1_000;

const PROJECT = { id: 'Project', one: 'a project', many: 'the projects of a team' };

/** Reference texts of projects. */
export const PROJECT_TEXTS = {
  ...readTexts(
    PROJECT,
    `A project is one site or product with its experiments, audiences, pages and goals. Sites use \`client_key\` and
\`snippet_url\`. \`significance\`, \`min_conversions\` and \`min_runtime_days\` determine when a result is conclusive.`,
  ),
  create: createText(
    PROJECT,
    `Creates a project with its own client key and one environment, \`Production\`, which applies everywhere. Only team
admins can create projects. Tokens limited to projects cannot create projects. A team can have up to ${MAX_PROJECTS} projects.`,
  ),
  ...changeTexts(PROJECT, {
    update: `Changes name, description, and the rules for results: \`significance\`, \`min_conversions\` and
\`min_runtime_days\`. New rules apply to running experiments immediately. Set them before you look at results.`,
    remove: `Moves the project to the trash. An administrator can restore it within 30 days. Rejected with 422 while one of its
experiments is running.`,
  }),
};
