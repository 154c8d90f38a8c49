import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminCommand } from '../support/admin';
import { attributeAll, exposure, send } from '../support/events';
import { makeFinal } from '../support/final-results';
import { Made, TIMESTAMP, useScene } from '../support/scene';

/* A final result accepts no events. An operator can still exclude visitors, which sets `revised_at`. */

const scene = useScene();
let admin: AdminCommand;
let experiment: Made;

beforeAll(async () => {
  admin = new AdminCommand(scene.api.databaseUrl);
  experiment = await scene.make.withStatus('running');
  const [{ id: variation }] = experiment.variations as Made[];
  const key = (await scene.client.get(scene.project)).body.client_key as string;
  const messages = ['ada', 'eve', 'bot'].map((visitor) => exposure(visitor, experiment.id, variation));
  expect((await send(scene.api, key, messages)).body.accepted).toBe(3);
  await attributeAll(scene.api);
  await scene.client.patch(`${experiment.path}/status`, { status: 'archive' });
});

afterAll(() => admin.remove());

async function infoOf(): Promise<Made> {
  const { status, body } = await scene.client.get(`${experiment.path}/results/info`);
  expect(status).toBe(200);
  return body as Made;
}

/** @returns the id of the exclusion */
async function exclude(visitor: string): Promise<number> {
  const file = join(admin.folder, 'ids.txt');
  writeFileSync(file, `${visitor}\n`);
  const project = ['--project', String(scene.world.projectId)];
  const done = await admin.json(['visitors:exclude', ...project, '--ids-file', file, '--yes']);
  return done.exclusion.id as number;
}

it('revised_at is not set by an exclusion before the result is final', async () => {
  await exclude('eve');
  await makeFinal(scene.api, experiment.id);
  expect(await infoOf()).toMatchObject({ participants: 2, is_final: true, revised_at: null });
});

it('revised_at is set by an exclusion, and set again when the exclusion is undone', async () => {
  const exclusion = await exclude('bot');
  const excluded = await infoOf();
  expect(excluded).toMatchObject({ participants: 1, is_final: true });
  expect(excluded.revised_at).toMatch(TIMESTAMP);
  expect(excluded.revised_at > excluded.counted_until).toBe(true);
  await admin.json(['visitors:include', '--exclusion', String(exclusion)]);
  const included = await infoOf();
  expect(included).toMatchObject({ participants: 2, is_final: true });
  expect(included.revised_at).not.toBe(excluded.revised_at);
  const results = await scene.client.get(`${experiment.path}/results`);
  expect(results.status).toBe(200);
});
