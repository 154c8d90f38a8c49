import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Tx } from '../../src/database/database';
import { IdempotencyKeys } from '../../src/platform/idempotency/idempotency-keys';
import { RecentMessages } from '../../src/events/recent/recent-messages';
import { RevisionCache } from '../../src/publishing/revision-cache';
import { TrashCollector } from '../../src/projects/trash/trash-collector';
import { TrashService } from '../../src/projects/trash/trash.service';
import { conversion, send } from '../support/events';
import { anotherProject, type Maker, useScene } from '../support/scene';

/* The hourly removal of expired data. */

const ROWS = 2_500;
const TABLES = ['idempotency_keys', 'sessions'] as const;
/** Rows per transaction. The number is small for idempotency keys, because they can have large responses. */
const STEPS = { idempotency_keys: 50, sessions: 1_000 };

const scene = useScene();

afterEach(() => jest.restoreAllMocks());

const collect = (): Promise<void> => scene.api.app.get(TrashCollector, { strict: false })['collect']();

const rowsIn = async (reader: Pick<Tx, 'query'>, table: (typeof TABLES)[number]): Promise<number> => {
  const [row]: { count: number | string }[] = await reader.query(
    `SELECT COUNT(*) AS count FROM ${table} WHERE user_id = ?`,
    [scene.world.people.admin.id],
  );
  return Number(row.count);
};

async function purge({ project, projectId: id }: Maker): Promise<void> {
  expect((await scene.client.delete(project)).status).toBe(204);
  expect(
    await scene.api.app.get(TrashService, { strict: false }).purge({ type: 'project', id }, 'admin'),
  ).toBeNull();
}

/** Adds keys or sessions that expired long ago. */
async function add(table: (typeof TABLES)[number], count: number): Promise<void> {
  const columns = {
    idempotency_keys: ['key_hash', 'fingerprint', 'claimed_at'],
    sessions: ['secret_hash', 'created_at', 'last_used_at', 'expires_at'],
  }[table];
  const names = `(user_id, ${columns.join(', ')})`;
  const tuples = Array.from(
    { length: count },
    (_, index) => `(${scene.world.people.admin.id}, 'expired-${index}'${', 1'.repeat(columns.length - 1)})`,
  );
  await scene.api.database.transaction((tx) =>
    tx.query(`INSERT INTO ${table} ${names} VALUES ${tuples.join(', ')}`),
  );
}

it.each(TABLES)('%s are deleted in short transactions', async (table) => {
  await add(table, ROWS);
  const { database } = scene.api;
  const transaction = database.transaction.bind(database);
  const deleted: number[] = [];
  jest.spyOn(database, 'transaction').mockImplementation((work: (tx: Tx) => Promise<unknown>) =>
    transaction(async (tx) => {
      const before = await rowsIn(tx, table);
      const result = await work(tx);
      deleted.push(before - (await rowsIn(tx, table)));
      return result;
    }),
  );
  await collect();
  expect(Math.max(...deleted)).toBe(STEPS[table]);
  expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(ROWS);
});

it('the removal continues with the other data if one part fails', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  await add('sessions', 1);
  const before = await rowsIn(scene.api.database.read, 'sessions');
  const keys = scene.api.app.get(IdempotencyKeys, { strict: false });
  jest.spyOn(keys, 'purgeExpired').mockRejectedValue(new Error('lock wait timeout'));
  await collect();
  expect(await rowsIn(scene.api.database.read, 'sessions')).toBe(before - 1);
  expect(warn).toHaveBeenCalledWith('Expired data could not be removed: lock wait timeout');
});

describe('copies of published revisions', () => {
  /** The given client keys whose copies are on disk. */
  async function copied(...keys: string[]): Promise<string[]> {
    const { cacheDir } = scene.api.config;
    await scene.api.app.get(RevisionCache, { strict: false }).onApplicationShutdown();
    const files = await readdir(cacheDir);
    const texts = await Promise.all(files.map((file) => readFile(join(cacheDir, file), 'latin1')));
    return keys.filter((key) => texts.some((text) => text.includes(key)));
  }

  /** Makes two projects whose revisions are copied to the disk. Returns the first project and both client keys. */
  async function published(): Promise<{ gone: Maker; keys: string[] }> {
    const [gone, kept] = await Promise.all(['Gone', 'Kept'].map((name) => anotherProject(scene, name)));
    const keys: string[] = [];
    for (const { project } of [gone, kept]) {
      const key = (await scene.client.get(project)).body.client_key as string;
      expect((await scene.api.as(null).get(`//s/${key}.js`)).status).toBe(200);
      keys.push(key);
    }
    expect(await copied(...keys)).toEqual(keys);
    return { gone, keys };
  }

  it('are removed from the disk with their project, even if no page requests them', async () => {
    const { gone, keys } = await published();
    expect((await scene.client.delete(gone.project)).status).toBe(204);
    await collect();
    expect(await copied(...keys)).toEqual([keys[1]]);
  });

  it('are removed if their project was purged before', async () => {
    const { gone, keys } = await published();
    await purge(gone);
    await collect();
    expect(await copied(...keys)).toEqual([keys[1]]);
  });
});

it('the removal includes the recent messages of purged projects', async () => {
  const [gone, kept] = await Promise.all(['Gone', 'Kept'].map((name) => anotherProject(scene, name)));
  for (const { project } of [gone, kept]) {
    const { body } = await scene.client.get(project);
    await send(scene.api, body.client_key as string, [conversion('ann', 'sale')]);
  }
  const recent = scene.api.app.get(RecentMessages, { strict: false });
  const ids = [gone, kept].map(({ projectId }) => projectId);
  const watched = (): number[] => ids.filter((id) => recent.projectIds.includes(id));
  expect(watched()).toEqual(ids);
  await purge(gone);
  await collect();
  expect(watched()).toEqual([ids[1]]);
});
