import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { RebuildService } from '../../src/events/rebuild.service';
import { TestApi } from '../support/api';
import type { Client } from '../support/client';
import { attributeAll, conversion, exposure, send } from '../support/events';
import { identify } from '../support/linked-visitors';
import { createRelease, recorded } from '../support/release';
import type { Made } from '../support/scene';

/* Processes of release 0.1.0 that run on after the migration. Their statements are repeated here. */

const WARNING = expect.stringMatching(/process of release 0\.1\.0.* run results:rebuild/);

const base = `/projects/${recorded.project}`;

/** Marks a visitor as release 0.1.0 does. */
const mark = (visitor: string): string =>
  `INSERT INTO dirty_visitors (project_id, visitor_id) VALUES (${recorded.project}, '${visitor}')`;

describe('a process of release 0.1.0 that runs after the migration', () => {
  let api: TestApi;
  let client: Client;
  let warn: jest.SpyInstance;

  beforeAll(async () => {
    api = await TestApi.start({ RATE_LIMIT_PER_MINUTE: '0' }, undefined, () =>
      createRelease(mark('before-migration')),
    );
    client = api.as(recorded.token);
  });

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  });

  afterEach(() => jest.restoreAllMocks());

  afterAll(() => api.close());

  it('is not assumed because of visitors who were marked before the migration', async () => {
    await attributeAll(api);
    expect(warn).not.toHaveBeenCalledWith(WARNING);
  });

  it('is reported once, not for each of its visitors', async () => {
    for (const visitor of ['first', 'second']) {
      await api.database.transaction((tx) => tx.query(mark(visitor)));
      await attributeAll(api);
    }
    expect(warn.mock.calls.filter(([text]) => WARNING.asymmetricMatch(text))).toHaveLength(1);
  });

  it('can note a conversion of a linked visitor as counted, and results:rebuild counts it', async () => {
    const experiments = (await client.get(`${base}/experiments`)).body as Made[];
    const { id, variations } = experiments.find(({ status }) => status === 'running')!;
    const [original] = variations as Made[];
    const key = recorded.clientKey;
    const shown = async (): Promise<Made> => {
      const [sale] = (await client.get(`${base}/experiments/${id}/results`)).body as Made[];
      return sale.variationStatistics[original.id] as Made;
    };
    const [laptop, phone, user] = [randomUUID(), randomUUID(), randomUUID()];
    await send(api, key, [exposure(laptop, id, original.id), identify(laptop, user), identify(phone, user)]);
    await attributeAll(api);
    const conversions = (await shown()).conversions as number;
    expect((await send(api, key, [conversion(phone, 'sale', 5)])).status).toBe(200);
    await api.database.transaction(async (tx) => {
      const who = [recorded.project, phone];
      await tx.query('UPDATE events SET attributed = 1 WHERE project_id = ? AND visitor_id = ?', who);
      await tx.query('DELETE FROM dirty_visitors WHERE project_id = ? AND visitor_id = ?', who);
    });
    await attributeAll(api);
    expect(await shown()).toMatchObject({ conversions });
    await api.app.get(RebuildService, { strict: false }).rebuild({});
    expect(await shown()).toMatchObject({ conversions: conversions + 1 });
  });
});
