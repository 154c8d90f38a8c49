import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunksOf } from '../../src/common/lists/collections';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { MAX_LINKED_IDS } from '../../src/events/links/link-decisions';
import { AdminCommand } from '../support/admin';
import { attributeAll, exposure, send } from '../support/events';
import { type Made, useScene } from '../support/scene';

/* Commands for many visitors with the maximum number of linked ids. SQLite allows 32,766 parameters per statement. */

const scene = useScene();
const USERS = 650;
const EXCLUDED = 330;

const userOf = (user: number): string => `user-${user}`;
const deviceOf = (user: number, device: number): string => `device-${user}-${device}`;
const users = Array.from({ length: USERS }, (_, user) => user);

let experiment: Made;

/** Links the ids of all users, as if they had signed in on all their devices. */
async function linkAll(): Promise<void> {
  const links = users.flatMap((user) =>
    Array.from({ length: MAX_LINKED_IDS }, (_, device) => [deviceOf(user, device), userOf(user)]),
  );
  await scene.api.database.transaction(async (tx) => {
    for (const chunk of chunksOf(links, 1_000)) {
      await tx.query(
        `INSERT INTO linked_visitors (project_id, visitor_id, canonical_id, linked_at, attributed, lock_version)
         VALUES ${chunk.map(() => '(?, ?, ?, 1, 1, 0)').join(', ')}`,
        chunk.flatMap((link) => [scene.world.projectId, ...link]),
      );
    }
  });
}

beforeAll(async () => {
  experiment = await scene.make.withStatus('running');
  await linkAll();
  const key = (await scene.client.get(scene.project)).body.client_key as string;
  const [arm] = experiment.variations as Made[];
  const messages = users.map((user) => exposure(deviceOf(user, 0), experiment.id, arm.id));
  expect((await send(scene.api, key, messages)).body.accepted).toBe(USERS);
  await attributeAll(scene.api);
});

const participants = async (): Promise<unknown> =>
  (await scene.client.get(`${experiment.path}/results/info`)).body.participants;

it('many visitors are excluded by a list of their ids', async () => {
  const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
  const { projectId } = scene.world;
  const scope = { projectId, experimentId: null, criteria: { ids: users.slice(0, EXCLUDED).map(userOf) } };
  expect(await exclusions.count(scope)).toBe(EXCLUDED);
  await exclusions.exclude(scope, EXCLUDED);
  expect(await participants()).toBe(USERS - EXCLUDED);
});

it('many visitors are exported with the participants of an experiment', async () => {
  const admin = new AdminCommand(scene.api.databaseUrl);
  const file = join(admin.folder, 'events.ndjson');
  const { code, stderr } = await admin.run([
    ...['events:export', '--project', String(scene.world.projectId)],
    ...['--experiment', String(experiment.id), '--output', file],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(USERS + 1);
});
