import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { admin, adminOf, request, rssMegabytes, seedPeople, start, stop } from './machine.mjs';
import { printFigure, printHeadline, printRatio } from './report.mjs';
import { fire } from './load.mjs';
import { inTurns } from './rounds.mjs';

/*
 * Measures the cost of protections. Compares this server with the same server without rate limits, or with another
 * release whose built checkout is in BENCH_BESIDE. Each server has its own database.
 */

const BESIDE = process.env.BENCH_BESIDE;
const WITHOUT_LIMITS = {
  RATE_LIMIT_PER_MINUTE: '0',
  DELIVERY_LIMIT_PER_MINUTE: '0',
  EVENTS_PER_MINUTE: '0',
};
/** Higher than the number of requests in a round, so requests are counted but never rejected. */
const WITH_LIMITS = {
  DELIVERY_LIMIT_PER_MINUTE: '1000000000',
  EVENTS_PER_MINUTE: '1000000000',
};
const PAGE_VIEW = 'https://shop.example.com/products/42/details?campaign=spring';
const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36';

/** Creates a running experiment whose page and audience use regular expressions. */
async function seedScene(address, people) {
  const project = `/projects/${people.filled}`;
  const make = (collection, body) => request(address, people.token, 'POST', `${project}/${collection}`, body);
  const page = await make('pages', {
    name: 'Products',
    conditions: [{ match: 'regex', value: '/products/\\d+' }],
  });
  const audience = await make('audiences', {
    name: 'Campaign',
    conditions: ['or', { type: 'query', name: 'campaign', match: 'regex', value: '^sp(ring|an)' }],
  });
  const goal = await make('goals', { name: 'Ordered', value_type: 'revenue' });
  const experiment = await make('experiments', {
    name: 'Offer',
    variations: [{ name: 'Original' }, { name: 'New' }],
    pages: [page.id],
    audiences: [audience.id],
    goals: [goal.id],
  });
  const path = `${project}/experiments/${experiment.id}`;
  await request(address, people.token, 'PATCH', `${path}/status`, { status: 'running' });
  const { client_key: key } = await request(address, people.token, 'GET', project);
  return { address, token: people.token, path, experiment, key };
}

const post = (path, body) => ({
  method: 'POST',
  path,
  setupRequest: (prepared) => ({ ...prepared, body: JSON.stringify(body()) }),
});

const LOADS = {
  'GET /s/{clientKey}.js': ({ key }) => [{ method: 'GET', path: `/s/${key}.js` }],
  'POST /v1/decide': ({ key }) => [
    post(`/v1/decide?client_key=${key}`, () => ({
      user: { id: randomUUID(), device: { userAgent: AGENT } },
      context: { view: { url: PAGE_VIEW } },
      record: false,
    })),
  ],
  'POST /v1/batch, 1 event': ({ key, experiment }) => [
    post('/v1/batch', () => ({
      writeKey: key,
      batch: [
        {
          type: 'track',
          event: 'Experiment Viewed',
          anonymousId: randomUUID(),
          messageId: randomUUID(),
          properties: { experiment_id: experiment.id, variation_id: experiment.variations[0].id },
        },
      ],
    })),
  ],
  'GET one experiment': ({ path }) => [{ method: 'GET', path: `/api${path}` }],
};

async function open(checkout, databaseUrl, environment) {
  const people = seedPeople(databaseUrl, checkout === undefined ? admin : adminOf(checkout));
  const script = checkout === undefined ? 'dist/src/main.js' : join(checkout, 'dist/src/main.js');
  const { child, address } = await start(script, databaseUrl, { WORKER: 'off', ...environment });
  return { child, scene: await seedScene(address, people) };
}

/** The management API requires a token. All other routes use the client key. */
const bearerOf = (label, { token, key }) => (label === 'GET one experiment' ? token : key);

/** @param otherUrl the database of the server to compare with */
export async function measureProtections(databaseUrl, otherUrl) {
  const ours = await open(undefined, databaseUrl, WITH_LIMITS);
  const other = await open(BESIDE, otherUrl, BESIDE === undefined ? WITHOUT_LIMITS : WITH_LIMITS);
  try {
    printHeadline(
      `Protections, SQLite, against ${BESIDE === undefined ? 'no limits' : 'the other release'}`,
      'requests per second',
    );
    for (const [label, load] of Object.entries(LOADS)) {
      const measure =
        ({ scene }) =>
        () =>
          fire(scene.address, bearerOf(label, scene), load(scene));
      printRatio(label, null, await inTurns({ server: measure(ours), bare: measure(other) }));
    }
    printFigure(
      'resident memory',
      `${rssMegabytes(ours.child.pid)} MB`,
      `other: ${rssMegabytes(other.child.pid)} MB`,
    );
  } finally {
    await stop(ours.child);
    await stop(other.child);
  }
}
