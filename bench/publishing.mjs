import { median, request, rssMegabytes, seedPeople, start, stop } from './machine.mjs';
import { printFigure, printHeadline, printMemory, printRatio } from './report.mjs';
import { fire } from './load.mjs';
import { inTurns, rounds } from './rounds.mjs';

/*
 * Measures publishing a project with many experiments. Compares serving its publications with handlers that return the
 * same bytes from memory.
 */

const EXPERIMENTS = 200;
const MAX_BUILD_MS = 1_000;
const MAX_MEGABYTES = 180;
const PUBLICATIONS = 15;

const css = (number) =>
  `.offer-${number} .price { color: #1a7f37; } .offer-${number} .old { display: none; }`;
const js = (number) =>
  `gosset.getTools().waitForElement('.offer-${number} h2').then((title) => { title.textContent = 'Offer ${number}'; });`;

async function seedExperiments(address, { token, filled }) {
  const project = `/projects/${filled}`;
  const make = (collection, body) => request(address, token, 'POST', `${project}/${collection}`, body);
  const page = await make('pages', {
    name: 'Offers',
    conditions: [{ match: 'contains', value: '/offers/' }],
  });
  const goal = await make('goals', { name: 'Ordered', value_type: 'revenue' });
  const click = await make('goals', { name: 'Clicked', type: 'click', selector: '.offer .order' });
  const audience = await make('audiences', {
    name: 'Campaign',
    conditions: [
      'or',
      { type: 'query', name: 'utm_campaign', match: 'exists' },
      { type: 'visitor', value: 'new' },
    ],
  });
  const made = [];
  for (let number = 1; number <= EXPERIMENTS; number += 1) {
    const experiment = await make('experiments', {
      name: `Offer ${number}`,
      variations: [{ name: 'As it is' }, { name: 'New', css: css(number), js: js(number) }],
      audiences: [audience.id],
      pages: [page.id],
      goals: [goal.id, click.id],
    });
    await request(address, token, 'PATCH', `${project}/experiments/${experiment.id}/status`, {
      status: 'running',
    });
    made.push(experiment.id);
  }
  return made;
}

/** The median response time, in milliseconds, of requests that publish an edited experiment. */
async function measurePublishing(address, { token, filled }, [experiment]) {
  const path = `/projects/${filled}/experiments/${experiment}`;
  const times = [];
  for (let edit = 1; edit <= PUBLICATIONS; edit += 1) {
    await request(address, token, 'PATCH', path, { css: `.edit-${edit} { color: red }` });
    const began = performance.now();
    await request(address, token, 'PATCH', `${path}/publish`);
    times.push(performance.now() - began);
  }
  return median(times);
}

const get = (path) => [{ method: 'GET', path, headers: { 'accept-encoding': 'gzip' } }];

/** Measures decisions for new visitors on a page where all experiments run, without recording exposures. */
async function measureDecisions(address, key, goal) {
  const body = JSON.stringify({
    user: { id: 'visitor-1', attributes: { query: { utm_campaign: 'spring' } } },
    context: { view: { url: 'https://shop.example.com/offers/1?utm_campaign=spring' } },
    record: false,
  });
  const load = [{ method: 'POST', path: '/v1/decide', body }];
  const { speed } = await inTurns({ speed: () => fire(address, key, load) });
  const verdict = `${goal} ${speed >= goal ? 'reached' : 'MISSED'}`;
  printFigure(`decide about ${EXPERIMENTS} running experiments`, speed.toFixed(0), verdict);
}

/** @param goals the required ratio to the bare handler, and the required decisions per second */
export async function measureDelivery(name, databaseUrl, goals) {
  const people = seedPeople(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const experiments = await seedExperiments(server.address, people);
  const { client_key: key } = await request(
    server.address,
    people.token,
    'GET',
    `/projects/${people.filled}`,
  );
  const milliseconds = await measurePublishing(server.address, people, experiments);
  const paths = [`/s/${key}.js`, `/api/features/${key}`];
  const bare = await start('bench/bare-artifacts.mjs', databaseUrl, {
    PATHS: paths.join(' '),
    FROM: server.address,
  });
  try {
    printHeadline(`Publishing, ${name}`, 'requests per second');
    for (const path of paths) {
      const pair = await rounds(server.address, bare.address, people.token, get(path));
      printRatio(`GET ${path.replace(key, '{clientKey}')}`, goals.serve, pair);
    }
    await measureDecisions(server.address, key, goals.decisions);
    const verdict = `${MAX_BUILD_MS} ms ${milliseconds < MAX_BUILD_MS ? 'reached' : 'MISSED'}`;
    printFigure(
      `publish an edit among ${EXPERIMENTS} running experiments`,
      `${milliseconds.toFixed(0)} ms`,
      verdict,
    );
    printMemory('resident memory under load', rssMegabytes(server.child.pid), MAX_MEGABYTES);
  } finally {
    await stop(bare.child);
    await stop(server.child);
  }
}
