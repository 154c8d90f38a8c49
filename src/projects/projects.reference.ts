import { changeTexts, readTexts } from '../common/openapi/resource-texts';

const PROJECT = { id: 'Project', one: 'a project', many: 'the projects of a team' };

/** Reference texts of projects. */
export const PROJECT_TEXTS = {
  ...readTexts(
    PROJECT,
    `A project is one site or product with its experiments, audiences, pages and goals. Sites use \`client_key\` and
\`snippet_url\`. \`significance\`, \`min_conversions\` and \`min_runtime_days\` decide when a result is conclusive.`,
  ),
  ...changeTexts(PROJECT, {
    update: `Changes name, description, and the rules for results: \`significance\`, \`min_conversions\` and
\`min_runtime_days\`. New rules apply to running experiments immediately. Set them before you look at results.`,
    remove: `Moves the project to the trash. An administrator can restore it for 30 days. Rejected with 422 while one of its
experiments is running.`,
  }),
};
