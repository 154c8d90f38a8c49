import { isDeepStrictEqual } from 'node:util';
import { DAY_MICROS } from '../../src/common/time/clock';
import { Presenter } from '../../src/platform/conditional-requests/conditional-requests';
import { AnswerKeeper } from '../../src/platform/idempotency/answer-keeper';
import { KeyedRequest, keyedRequest } from '../../src/platform/idempotency/key-claim';
import { IdempotencyKeys } from '../../src/platform/idempotency/idempotency-keys';
import { TrashCollector } from '../../src/projects/trash/trash-collector';
import type { TestApi } from '../support/api';
import type { Client } from '../support/client';
import { isReplayed, newKey, told } from '../support/keys';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { statementsDuring } from '../support/statements';
import { dump, rowsFor, send, stepFor } from '../support/walk';

/* `Idempotency-Key`: concurrent duplicates, and claims held by killed or slow processes. */

const scene = useScene();
const BODY = { name: 'Goal' };

let make: Maker;
let goals: string;
let key: { 'idempotency-key': string };
beforeEach(async () => {
  make = await anotherProject(scene);
  goals = `${make.project}/goals`;
  key = newKey();
});
afterEach(() => jest.restoreAllMocks());

const keysOf = ({ app }: TestApi): IdempotencyKeys => app.get(IdempotencyKeys, { strict: false });
const post = (client: Client = scene.client) => client.post(goals, BODY, key);
const count = async (): Promise<number> => ((await scene.client.get(goals)).body as Made[]).length;
const keyed = (): KeyedRequest =>
  keyedRequest(scene.world.people.admin.id, key['idempotency-key'], `/api${goals}`, BODY);

/** Makes all keys older by `seconds`. */
async function pass(seconds: number): Promise<void> {
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE idempotency_keys SET claimed_at = claimed_at - ?, lease_until = lease_until - ?', [
      seconds * 1_000_000,
      seconds * 1_000_000,
    ]),
  );
}

describe('concurrent identical requests', () => {
  let there: Client;
  let sibling: TestApi;
  beforeAll(async () => {
    sibling = await scene.api.sibling();
    there = sibling.as(scene.world.people.admin.token);
  });
  afterAll(() => sibling.close());

  it('in two processes execute once, and all eventually get the same response', async () => {
    for (let round = 0; round < 15; round += 1) {
      key = newKey();
      const before = await count();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => post(index % 2 === 0 ? scene.client : there)),
      );
      const done = answers.filter(({ status }) => status === 201);
      const waiting = answers.filter(({ status }) => status === 409);
      expect([done.length > 0, done.length + waiting.length]).toEqual([true, 8]);
      expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1);
      expect(waiting.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
      const later = [await post(), await post(there)];
      expect(later.every(isReplayed)).toBe(true);
      expect(new Set([...done, ...later].map((answer) => JSON.stringify(told(answer)))).size).toBe(1);
      expect(await count()).toBe(before + 1);
    }
  });

  it('get 409 while the first is running, and a different request with the key gets a different error', async () => {
    await keysOf(sibling).claim(keyed());
    const answer = await post();
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([
      409,
      { message: 'A request with this Idempotency-Key is still running.', code: 'IDEMPOTENCY_KEY_IN_USE' },
      '1',
    ]);
    expect((await scene.client.post(goals, { name: 'Other' }, key)).status).toBe(422);
    expect(await count()).toBe(0);
  });

  it('with different keys are different requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scene.client.post(goals, BODY, newKey())),
    );
    expect(new Set(answers.map(({ body }) => body.api_name)).size).toBe(20);
  });
});

describe('a process that', () => {
  it('was killed before its work was stored blocks the key for ten seconds', async () => {
    await keysOf(scene.api).claim(keyed());
    await pass(5);
    expect((await post()).status).toBe(409);
    await pass(5);
    const answer = await post();
    expect([answer.status, isReplayed(answer), isReplayed(await post())]).toEqual([201, false, true]);
  });

  it('was killed before its work was stored frees the key for any request after ten seconds', async () => {
    await keysOf(scene.api).claim(keyed());
    await pass(10);
    expect((await scene.client.post(goals, { name: 'Other' }, key)).status).toBe(201);
    expect((await post()).status).toBe(422);
  });

  it('is slow keeps its claim on the key while it keeps renewing it', async () => {
    const found = await keysOf(scene.api).claim(keyed());
    const claimId = found.found === 'claimed' ? found.claimId : 0;
    for (let renewals = 0; renewals < 4; renewals += 1) {
      await pass(9);
      await keysOf(scene.api).renew([claimId]);
    }
    expect((await post()).status).toBe(409);
    await pass(10);
    expect((await post()).status).toBe(201);
  });

  it('renews a claim too late has lost the claim', async () => {
    const found = await keysOf(scene.api).claim(keyed());
    const claimId = found.found === 'claimed' ? found.claimId : 0;
    await pass(10);
    const taken = await post();
    await keysOf(scene.api).renew([claimId]);
    expect([taken.status, isReplayed(await post()), await count()]).toEqual([201, true, 1]);
  });

  it('had a clock that was an hour ahead does not block the key for an hour', async () => {
    await keysOf(scene.api).claim(keyed());
    await pass(-3600);
    expect((await post()).status).toBe(201);
  });

  it('is killed after its work was stored has already stored the response', async () => {
    const presenter = scene.api.app.get(Presenter, { strict: false });
    const present = presenter.present.bind(presenter);
    jest
      .spyOn(presenter, 'present')
      .mockImplementationOnce(present)
      .mockImplementationOnce(() => {
        throw new Error('died');
      });
    expect((await post()).status).toBe(500);
    const again = await post();
    expect([again.status, isReplayed(again), await count()]).toEqual([201, true, 1]);
  });

  it('completes its work stores the response in the same transaction', async () => {
    const statements = await statementsDuring(scene.api, () => post());
    const places = ['INSERT INTO goals', 'UPDATE idempotency_keys', 'INSERT INTO idempotency_bodies'].map(
      (beginning) => statements.findIndex((statement) => statement.startsWith(beginning)),
    );
    const commit = statements.findIndex(
      (statement, index) => statement === 'COMMIT' && index > (places[0] ?? 0),
    );
    expect([...places, commit]).toEqual([...places, commit].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(statements.filter((statement) => statement === 'COMMIT')).toHaveLength(2);
  });

  it('fails during its work releases the key and stores nothing', async () => {
    jest.spyOn(IdempotencyKeys.prototype, 'keep').mockRejectedValueOnce(new Error('failed'));
    expect((await post()).status).toBe(500);
    expect(await count()).toBe(0);
    const again = await post();
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
  });

  it('lost its claim to another request stores nothing', async () => {
    const keys = keysOf(scene.api);
    const claim = keys.claim.bind(keys);
    jest.spyOn(keys, 'claim').mockImplementationOnce(async (...args) => {
      const found = await claim(...args);
      await pass(10);
      await claim(keyed());
      return found;
    });
    const slow = await post();
    expect([slow.status, await count()]).toEqual([409, 0]);
    expect((await post()).status).toBe(409);
  });

  it('cannot store the response to a request that writes nothing still sends it', async () => {
    jest.spyOn(IdempotencyKeys.prototype, 'keep').mockRejectedValueOnce(new Error('failed'));
    const refused = await scene.client.post(goals, {}, key);
    expect(refused.status).toBe(422);
    expect((await scene.client.post(goals, {}, key)).status).toBe(409);
  });
});

describe('a process that is killed before its response is sent has executed the request once', () => {
  const stored = async (): Promise<Record<string, string>> => {
    const { idempotency_keys: _k, idempotency_bodies: _b, sqlite_sequence: _s, ...rest } = await dump(scene);
    return rest;
  };

  it.each(rowsFor((method) => method === 'POST'))('%s', async (_, row) => {
    const step = await stepFor(scene, row);
    const keeper = scene.api.app.get(AnswerKeeper, { strict: false });
    jest.spyOn(keeper as never, 'finish').mockResolvedValueOnce(undefined as never);
    const before = await stored();
    expect((await send(scene.client, step, '', key)).status).toBe(step.status);
    const after = await stored();
    await pass(10);
    const again = await send(scene.client, step, '', key);
    expect([again.status, await stored()]).toEqual([step.status, after]);
    // The response to a request without a transaction was not stored, so the request runs again and must write nothing.
    // The transaction of an empty batch stores only the response.
    expect(isReplayed(again) || isDeepStrictEqual(after, before)).toBe(true);
  });
});

describe('after a day', () => {
  it('a key can be used again', async () => {
    const first = await post();
    await pass(24 * 3600 - 60);
    expect(told(await post())).toEqual(told(first));
    await pass(60);
    const fresh = await post();
    expect([fresh.status, isReplayed(fresh), await count()]).toEqual([201, false, 2]);
  });

  it('the server removes keys and responses', async () => {
    const rows = async (): Promise<number[]> => {
      const counts = ['idempotency_keys', 'idempotency_bodies'].map(async (table) => {
        const found: unknown[] = await scene.api.database.read.query(`SELECT 1 FROM ${table}`);
        return found.length;
      });
      return Promise.all(counts);
    };
    await post();
    await pass(DAY_MICROS / 1_000_000);
    await scene.client.post(goals, { name: 'Recent' }, newKey());
    expect(Math.min(...(await rows()))).toBeGreaterThan(1);
    await scene.api.app.get(TrashCollector, { strict: false })['collect']();
    expect(await rows()).toEqual([1, 1]);
  });
});
