// Runs a first experiment in the demo shop through the REST API. Each command runs one step:
//   GOSSET_TOKEN=gos_... node examples/first-experiment.mjs start|visit|results|pause
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const { GOSSET_URL: address = 'http://localhost:3000', GOSSET_TOKEN: token } = process.env;
const gosset = address.replace(/\/+$/, '');
const NAME = 'Newsletter outline';
/** Milliseconds until results include new events. */
const COUNTED_MS = 2_000;

/** Prints an error message and exits with code 1. */
function stop(message) {
  console.error(message);
  process.exit(1);
}

/**
 * Sends a request with a JSON body and returns the JSON of the response. After an error, stops with the server's
 * message.
 */
async function call(method, path, body, headers = { Authorization: `Bearer ${token}` }) {
  const answer = await fetch(gosset + path, {
    method,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => stop(`No server responds at ${gosset}. Start it, or set GOSSET_URL to its address.`));
  const text = await answer.text();
  const content = text === '' ? {} : parsed(text);
  return answer.ok ? content : stop(`${method} ${path}: ${content.message}`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return stop(`The server at ${gosset} is not Gosset. Set GOSSET_URL to the address of your server.`);
  }
}

const named = (items, name) =>
  items.find((item) => item.name === name) ??
  stop(`There is no "${name}". This example needs the demo of npm run quickstart.`);

/** The API has no list of all projects. Read your teams, then the projects of one team. */
async function findProject() {
  const team = named(await call('GET', '/api/teams'), 'Demo');
  return named(await call('GET', `/api/teams/${team.id}/projects`), 'Shop');
}

/** An experiment needs a page to run on, a goal to measure, and variations. The first one is the original. */
async function create(api) {
  const page = named(await call('GET', `${api}/pages`), 'Home');
  const goal = named(await call('GET', `${api}/goals`), 'Newsletter subscribed');
  const created = await call('POST', `${api}/experiments`, {
    name: NAME,
    pages: [page.id],
    goals: [goal.id],
    variations: [
      { name: 'Original' },
      { name: 'Outlined', css: '.newsletter { outline: 4px solid crimson; padding: 1rem }' },
    ],
  });
  console.log(`Created: ${created.name} (${created.variations.map(({ name }) => name).join(', ')})`);
  return created;
}

async function setStatus(api, experiment, status) {
  const changed = await call('PATCH', `${api}/experiments/${experiment.id}/status`, { status });
  console.log(`Status: ${changed.status}`);
}

/** Acts as a back end with five visitors. It sends the public client key instead of a token. One visitor subscribes. */
async function visit(project, experiment) {
  const key = { 'X-API-Key': project.client_key };
  for (const id of ['ann', 'bob', 'cleo', 'dan', 'eve']) {
    const asked = { user: { id }, selector: { experiments: [experiment.id] } };
    const { experiments } = await call('POST', '/v1/decide', asked, key);
    console.log(`${id} sees: ${experiments[0]?.variation?.api_name ?? 'nothing, because it is not running'}`);
  }
  // With a message id, the conversion counts once, even if you run this step again.
  const subscribed = { id: experiment.goals[0].id, type: 'custom', messageId: `${experiment.id}-subscribed` };
  await call('POST', '/v1/track', { user: { id: 'ann' }, events: [subscribed] }, key);
  console.log('ann subscribes');
  await sleep(COUNTED_MS);
}

async function showResults(api, experiment) {
  const [goal] = await call('GET', `${api}/experiments/${experiment.id}/results`);
  for (const { name, participants, conversions } of Object.values(goal.variationStatistics)) {
    console.log(`${name}: participants ${participants}, conversions ${conversions}`);
  }
}

const STEPS = {
  start: async ({ api, experiment }) => setStatus(api, experiment ?? (await create(api)), 'running'),
  visit: ({ project, experiment }) => visit(project, experiment),
  results: ({ api, experiment }) => showResults(api, experiment),
  pause: ({ api, experiment }) => setStatus(api, experiment, 'pause'),
};

const [step] = process.argv.slice(2);
if (!token) {
  stop('Set GOSSET_TOKEN to an API token with the permission Read & write.');
}
if (!Object.hasOwn(STEPS, step ?? '')) {
  stop(`Usage: node examples/first-experiment.mjs ${Object.keys(STEPS).join('|')}`);
}
const project = await findProject();
const api = `/api/projects/${project.id}`;
const [experiment] = await call('GET', `${api}/experiments?search=${encodeURIComponent(NAME)}`);
if (experiment === undefined && step !== 'start') {
  stop('The experiment is not there yet. Run: node examples/first-experiment.mjs start');
}
await STEPS[step]({ project, api, experiment });
