// Creates an experiment in the first project of the token's user, starts it, and reads the results of all running
// experiments.
//   GOSSET_TOKEN=gos_... node example.mjs
import process from 'node:process';
import { createGosset, GossetError, ifMatch, ok } from '@gosset/client';

const { GOSSET_URL: url = 'http://localhost:3000', GOSSET_TOKEN: token } = process.env;
if (token === undefined) {
  console.error('Set GOSSET_TOKEN to an API token with the permission Read & write.');
  process.exit(1);
}
const gosset = createGosset({ url, token });

// The API has no list of all projects: read the teams first, then the projects of each team.
const teams = await ok(gosset.GET('/api/teams')).catch(explain);
const projects = [];
for (const team of teams) {
  const params = { path: { team: team.id } };
  projects.push(...(await ok(gosset.GET('/api/teams/{team}/projects', { params }))));
}
const [project] = projects;
if (project === undefined) {
  console.error('The user of this token has no project yet.');
  process.exit(1);
}
console.log(`Project: ${project.name}`);

// An experiment needs a page to run on and a goal to measure.
const inProject = { path: { project: project.id } };
const page = await ok(
  gosset.POST('/api/projects/{project}/pages', {
    params: inProject,
    body: { name: 'Checkout', conditions: [{ match: 'simple', value: '/checkout' }] },
  }),
);
const goal = await ok(
  gosset.POST('/api/projects/{project}/goals', {
    params: inProject,
    body: { name: 'Order paid', value_type: 'revenue' },
  }),
);
const draft = await ok(
  gosset.POST('/api/projects/{project}/experiments', {
    params: inProject,
    body: {
      name: 'Short form',
      pages: [page.id],
      goals: [goal.id],
      variations: [{ name: 'Original' }, { name: 'Short', css: '.optional { display: none }' }],
    },
  }),
);
console.log(`Draft: ${draft.name} with ${draft.variations.map(({ name }) => name).join(' and ')}`);

// Starts the experiment, unless it has changed in the meantime.
const started = await ok(
  gosset.PATCH('/api/projects/{project}/experiments/{experiment}/status', {
    params: { path: { project: project.id, experiment: draft.id } },
    body: { status: 'running' },
    ...ifMatch(draft),
  }),
);
console.log(`Status: ${started.status}`);

const running = await ok(
  gosset.GET('/api/projects/{project}/experiments', {
    params: { ...inProject, query: { status: 'running' } },
  }),
);
for (const { id, name } of running) {
  console.log(`Results of ${name}: ${await summaryOf(id)}`);
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function explain(error) {
  if (error instanceof GossetError) {
    throw error;
  }
  console.error(`No server responds at ${url}. Start it, or set GOSSET_URL to its address.`);
  process.exit(1);
}

/** @param {number} experiment */
async function summaryOf(experiment) {
  try {
    const params = { path: { project: project.id, experiment } };
    const [primary] = await ok(
      gosset.GET('/api/projects/{project}/experiments/{experiment}/results', { params }),
    );
    const figures = Object.values(primary?.variationStatistics ?? {});
    const lines = figures.map(({ name, participants, statistics }) => {
      return `${name}: ${participants} participants, ${statistics.verdict}`;
    });
    return lines.join('; ');
  } catch (error) {
    // There are no participants yet.
    if (error instanceof GossetError && error.status === 404) {
      return error.message;
    }
    throw error;
  }
}
