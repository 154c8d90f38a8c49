import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../src/app.module';
import { createApplication } from '../../src/platform/application';
import { createLogger } from '../../src/common/logging/pino-logger';
import { Database } from '../../src/database/database';
import { entities } from '../../src/entities';
import { Answer, Client } from '../support/client';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

describe('two servers on one database', () => {
  const scene = useScene();
  let second: NestFastifyApplication;
  let clients: [Client, Client];
  let make: Maker;

  beforeAll(async () => {
    const database = await Database.open(scene.api.config.database, entities);
    const { config } = scene.api;
    const module = AppModule.forRoot(config, database);
    second = await createApplication(module, config, createLogger('silent'));
    const { token } = scene.world.people.admin;
    clients = [scene.client, new Client(second, token, () => undefined)];
    make = await anotherProject(scene);
  });

  afterAll(() => second.close());

  it('immediately show writes of the other server', async () => {
    const [here, there] = clients;
    const goal = await make.goal({ name: 'Before' });
    for (const name of ['First', 'Second', 'Third']) {
      const before = await there.get(goal.path);
      await here.patch(goal.path, { name });
      const [after, list] = [await there.get(goal.path), await there.get(`${make.project}/goals`)];
      expect([after.body.name, list.body[0].name]).toEqual([name, name]);
      expect(after.headers.etag).not.toBe(before.headers.etag);
      expect(after.body).toEqual((await here.get(goal.path)).body);
    }
    await there.delete(goal.path);
    expect((await here.get(goal.path)).status).toBe(404);
  });

  it('assign an api_name only once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const body = { name: 'Same', api_name: `same-${round}` };
      const answers = await Promise.all(clients.map((client) => client.post(`${make.project}/goals`, body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    }
  });

  it('create and clone concurrently, with a unique api_name for each', async () => {
    const source = await make.ready({ name: 'Popular' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const client = clients[index % 2];
        return repeatedWhileBusy(() =>
          index % 4 < 2
            ? client.post(`${make.project}/experiments`, { name: 'Popular', variations: [{ name: 'A' }] })
            : client.post(`${source.path}/clone`),
        );
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const lists = await Promise.all(clients.map((client) => client.get(`${make.project}/experiments`)));
    const [list, other] = lists.map(({ body }) => body as Made[]);
    expect(list).toHaveLength(41);
    expect(other).toEqual(list);
    expect(new Set(list.map(({ api_name }) => api_name)).size).toBe(41);
  });
});

/** Retries on 503, because one server can wait too long for the lock of the other on a slow machine. */
async function repeatedWhileBusy<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const answer = await send();
  if (answer.status !== 503) {
    return answer;
  }
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  await sleep(Number(answer.headers['retry-after']) * 1000);
  return repeatedWhileBusy(send);
}
