import { changeTexts, readTexts } from '../common/openapi/resource-texts';

const PROJECT = { id: 'Project', one: 'a project', many: 'the projects of a team' };

/** What the reference says about projects. */
export const PROJECT_TEXTS = {
  ...readTexts(
    PROJECT,
    `A project is one site or product: its experiments, and what they are made of. \`client_key\` and \`snippet_url\` are what the
site needs; \`significance\`, \`min_conversions\` and \`min_runtime_days\` decide when a result is certain.`,
  ),
  ...changeTexts(PROJECT, {
    update: `Changes name, description, and the rules by which results are judged: \`significance\`, \`min_conversions\` and
\`min_runtime_days\`. They hold for running experiments at once; decide on them before looking at results.`,
    remove: `It goes to the trash, from which an administrator can restore it for 30 days. Refused with 422 while an experiment of
it is running.`,
  }),
};
