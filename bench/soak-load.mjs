import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from './machine.mjs';

/* Concurrent load from visitors, back ends, API scripts and people who view results. */

const VISITORS_IN_BATCH = 10;
const PAGE = 'https://shop.example.com/offers/1';

/** Creates a running experiment and waits until it has results. @returns the state that the requests share */
export async function seedSoak(address, { token, filled }) {
  const project = `/projects/${filled}`;
  const make = (collection, body) => request(address, token, 'POST', `${project}/${collection}`, body);
  const page = await make('pages', {
    name: 'Offers',
    conditions: [{ match: 'regex', value: '/offers/\\d+' }],
  });
  const goal = await make('goals', { name: 'Ordered', value_type: 'revenue' });
  const experiment = await make('experiments', {
    name: 'Offer',
    variations: [{ name: 'Original' }, { name: 'New', css: '.price { color: green }' }],
    pages: [page.id],
    goals: [goal.id],
  });
  const experimentPath = `${project}/experiments/${experiment.id}`;
  await request(address, token, 'PATCH', `${experimentPath}/status`, { status: 'running' });
  const { client_key: key } = await request(address, token, 'GET', project);
  const { share_token: share } = await request(address, token, 'GET', `${experimentPath}/results/info`);
  const scene = {
    address,
    token,
    project,
    experiment,
    experimentPath,
    key,
    share,
    edits: 0,
    acknowledged: new Set(),
  };
  await collect(scene);
  while ((await api(scene, `${experimentPath}/results`)) === 404) {
    await sleep(100);
  }
  return scene;
}

/** Sends a request and reads the whole response. @returns the status */
async function status(
  address,
  path,
  { body, headers = {}, method = body === undefined ? 'GET' : 'POST' } = {},
) {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const bearer = ({ token }) => ({ authorization: `Bearer ${token}` });
const api = (scene, path, options = {}) =>
  status(scene.address, `/api${path}`, { headers: bearer(scene), ...options });

async function collect(scene) {
  const { key, experiment, acknowledged } = scene;
  const visitors = Array.from({ length: VISITORS_IN_BATCH }, () => randomUUID());
  const message = (visitor, event, properties) => ({
    type: 'track',
    event,
    anonymousId: visitor,
    messageId: randomUUID(),
    properties,
  });
  const batch = visitors.flatMap((visitor, index) => {
    const variation = experiment.variations[index % experiment.variations.length];
    const exposure = { experiment_id: experiment.id, variation_id: variation.id };
    const shown = message(visitor, 'Experiment Viewed', exposure);
    return index % 3 === 0 ? [shown, message(visitor, 'ordered', { value: 49.9 })] : [shown];
  });
  const code = await status(scene.address, '/v1/batch', { body: { writeKey: key, batch } });
  if (code === 200) {
    visitors.forEach((visitor) => acknowledged.add(visitor));
  }
  return code;
}

const decide = ({ address, key }) =>
  status(address, `/v1/decide?client_key=${key}`, {
    body: { user: { id: randomUUID() }, context: { view: { url: PAGE } }, record: false },
  });

const flags = ({ address, key }) =>
  status(address, '/ofrep/v1/evaluate/flags', {
    body: { context: { targetingKey: randomUUID(), userAgent: `Agent ${randomUUID()}` } },
    headers: { authorization: `Bearer ${key}` },
  });

const edit = (scene) => {
  scene.edits += 1;
  return api(scene, scene.experimentPath, { method: 'PATCH', body: { description: `Edit ${scene.edits}` } });
};

/** The kinds of requests, with their rates and maximum concurrency. */
export const SURFACES = [
  { name: 'collect', perSecond: 50, atOnce: 20, send: collect },
  { name: 'snippet', perSecond: 50, atOnce: 20, send: ({ address, key }) => status(address, `/s/${key}.js`) },
  { name: 'decide', perSecond: 50, atOnce: 20, send: decide },
  { name: 'flags', perSecond: 20, atOnce: 10, send: flags },
  { name: 'list', perSecond: 10, atOnce: 5, send: (scene) => api(scene, `${scene.project}/experiments`) },
  { name: 'edit', perSecond: 2, atOnce: 2, send: edit },
  {
    name: 'results',
    perSecond: 5,
    atOnce: 3,
    send: (scene) => api(scene, `${scene.experimentPath}/results`),
  },
  {
    name: 'share page',
    perSecond: 0.5,
    atOnce: 1,
    send: ({ address, share }) => status(address, `/share/${share}`),
  },
];
