import { isReplayed, newKey, told } from '../support/keys';
import { anotherProject, errorsOf, Made, Maker, useScene } from '../support/scene';
import { dump, rowsFor, send, stepFor, tokenRoutes } from '../support/walk';

/* `Idempotency-Key`: a repeated request is not executed again, and gets the first response. */

const scene = useScene();

let make: Maker;
let goals: string;
beforeEach(async () => {
  make = await anotherProject(scene);
  goals = `${make.project}/goals`;
});

/** A replayed response contains no invitation link and no webhook secret. */
const withoutSecret = (part: unknown): unknown =>
  typeof part === 'string' ? part.replace(/"(invitation_url|secret)":"[^"]*"/, '"$1":null') : part;

const isPost = (method: string): boolean => method === 'POST';

describe('a POST that is repeated with its key', () => {
  it.each(rowsFor(isPost))('gets the first response again, and has no effect: %s', async (_, row) => {
    const step = await stepFor(scene, row);
    const key = newKey();
    const first = await send(scene.client, step, '', key);
    const after = await dump(scene);
    const again = await send(scene.client, step, '', key);
    expect([first.status, isReplayed(first), isReplayed(again)]).toEqual([step.status, false, true]);
    expect(told(again)).toEqual(told(first).map(withoutSecret));
    expect(await dump(scene)).toEqual(after);
  });

  it('is tested on every route that supports keys', () => {
    const tried = new Set(rowsFor(isPost).map(([, { route }]) => route));
    const posts = tokenRoutes(scene).filter(({ route }) => route.startsWith('POST '));
    expect([...tried].sort()).toEqual(posts.map(({ route }) => route).sort());
  });

  it('gets the first response even if its record has since been changed or deleted', async () => {
    const key = newKey();
    const first = await scene.client.post(goals, { name: 'Goal' }, key);
    const path = `${goals}/${first.body.id}`;
    await scene.client.patch(path, { name: 'Other' });
    expect(told(await scene.client.post(goals, { name: 'Goal' }, key))).toEqual(told(first));
    await scene.client.delete(path);
    expect(told(await scene.client.post(goals, { name: 'Goal' }, key))).toEqual(told(first));
  });

  it('gets the first response even if its If-Match is now outdated', async () => {
    const { path } = await make.ready();
    const headers = { ...newKey(), 'if-match': (await scene.client.get(path)).headers.etag! };
    const first = await scene.client.post(`${path}/clone`, undefined, headers);
    await scene.client.patch(path, { description: 'changed' });
    const again = await scene.client.post(`${path}/clone`, undefined, headers);
    expect([first.status, told(again), isReplayed(again)]).toEqual([201, told(first), true]);
  });

  it('gets the first response with any token of the user, in any process', async () => {
    const { admin } = scene.world.people;
    const key = newKey();
    const first = await scene.client.post(goals, { name: 'Goal' }, key);
    const other = await scene.api.sibling();
    const there = other.as(await scene.api.token(admin.id, 'write'));
    expect(told(await there.post(goals, { name: 'Goal' }, key))).toEqual(told(first));
    await other.close();
  });

  it('gets a response of any length', async () => {
    const code = `/*${'ü😀'.repeat(42_000)}*/`;
    const experiment = await make.experiment();
    for (let index = 0; index < 18; index += 1) {
      await make.variation(experiment, { name: `V${index}`, js: code });
    }
    const key = newKey();
    const first = await scene.client.post(`${experiment.path}/clone`, undefined, key);
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(4 * 1024 * 1024);
    const again = await scene.client.post(`${experiment.path}/clone`, undefined, key);
    expect([first.status, isReplayed(again), again.text === first.text]).toEqual([201, true, true]);
  });

  it('gets a new response if a route that only reads sent more than 16 KiB', async () => {
    const { name, path } = await make.experiment();
    const find = (key: Record<string, string>) =>
      scene.client.post(`${make.project}/experiments/find-by-name`, { name }, key);
    for (const [length, isStored] of [
      [12_000, true],
      [17_000, false],
    ] as const) {
      await scene.client.patch(path, { js: `/*${'x'.repeat(length)}*/` });
      const key = newKey();
      const first = await find(key);
      const again = await find(key);
      expect([first.status, told(again), isReplayed(again)]).toEqual([200, told(first), isStored]);
    }
  });

  it('can be formatted differently if its content is the same', async () => {
    const key = newKey();
    const first = await scene.client.post(goals, '{"name":"Goal"}', key);
    const again = await scene.client.post(`${goals}/?dry_run=0`, ' { "name" : "Goal" } ', key);
    expect(told(again)).toEqual(told(first));
  });
});

describe('a key', () => {
  it('that was sent with another body or path is rejected', async () => {
    const key = newKey();
    const first = await scene.client.post(goals, { name: 'Goal' }, key);
    const after = await dump(scene);
    const body = await scene.client.post(goals, { name: 'Other' }, key);
    const path = await scene.client.post(`${make.project}/pages`, { name: 'Goal' }, key);
    const none = await scene.client.post(goals, undefined, key);
    for (const refused of [body, path, none]) {
      expect([Object.keys(errorsOf(refused)), isReplayed(refused)]).toEqual([['Idempotency-Key'], false]);
    }
    expect(await dump(scene)).toEqual(after);
    expect(told(await scene.client.post(goals, { name: 'Goal' }, key))).toEqual(told(first));
  });

  it('is separate for each user', async () => {
    const key = newKey();
    const { editor, publisher } = scene.world.people;
    const answers = [
      await editor.client.post(goals, { name: 'Goal' }, key),
      await publisher.client.post(goals, { name: 'Goal' }, key),
    ];
    expect(answers.map(({ status, body }) => [status, body.api_name])).toEqual([
      [201, 'goal'],
      [201, 'goal-2'],
    ]);
  });

  it.each(['a', 'a'.repeat(255), 'é', '" \\ %_\'', '0'])('can be %j', async (key) => {
    const headers = { 'idempotency-key': key };
    const first = await scene.client.post(goals, { name: 'Goal' }, headers);
    const again = await scene.client.post(goals, { name: 'Goal' }, headers);
    const different = await scene.client.post(
      goals,
      { name: 'Goal' },
      { 'idempotency-key': `${key}A`.slice(-255) },
    );
    expect([first.status, told(again), different.body.id === first.body.id]).toEqual([
      201,
      told(first),
      false,
    ]);
  });

  it.each(['', 'a'.repeat(256)])('cannot be %j', async (key) => {
    const before = await dump(scene);
    const refused = await scene.client.post(goals, { name: 'Goal' }, { 'idempotency-key': key });
    expect(Object.keys(errorsOf(refused))).toEqual(['Idempotency-Key']);
    const unclear = await scene.client.post(`${goals}?dry_run=x`, { name: 'G' }, { 'idempotency-key': key });
    expect(Object.keys(errorsOf(unclear))).toEqual(['dry_run', 'Idempotency-Key']);
    expect(await dump(scene)).toEqual(before);
  });

  it.each([
    ['?dry_run=x', {}, 'dry_run'],
    ['', { 'idempotency-key': '' }, 'Idempotency-Key'],
  ])(
    'that is invalid, or an invalid dry_run, is reported together with all errors in the body: %j %j',
    async (query, headers, path) => {
      const before = await dump(scene);
      const refused = await scene.client.post(`${goals}${query}`, { name: '', nmae: 'G' }, headers);
      expect(Object.keys(errorsOf(refused)).sort()).toEqual([path, 'name', 'nmae'].sort());
      const moved = await scene.client.post(`${goals}${query}`, { name: 'G' }, headers);
      expect([Object.keys(errorsOf(moved)), await dump(scene)]).toEqual([[path], before]);
    },
  );

  it('is ignored by dry runs, even if it is invalid', async () => {
    const key = newKey();
    const before = await dump(scene);
    for (const headers of [key, key, { 'idempotency-key': '' }]) {
      const dry = await scene.client.post(`${goals}?dry_run=1`, { name: 'Goal' }, headers);
      expect([dry.status, dry.body.id, isReplayed(dry)]).toEqual([201, null, false]);
    }
    await scene.client.post(`${goals}?dry_run=x`, { name: 'Goal' }, key);
    expect(await dump(scene)).toEqual(before);
    const first = await scene.client.post(goals, { name: 'Goal' }, key);
    const dry = await scene.client.post(`${goals}?dry_run=1`, { name: 'Goal' }, key);
    expect([first.body.api_name, isReplayed(first), dry.body.api_name]).toEqual(['goal', false, 'goal-2']);
  });

  it('is ignored by other methods', async () => {
    const key = { 'idempotency-key': '' };
    const goal = await make.goal();
    const answers = [
      await scene.client.get(goals, key),
      await scene.client.put(goal.path, { name: 'New' }, key),
      await scene.client.patch(goal.path, { name: 'Newer' }, key),
      await scene.client.delete(goal.path, key),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
  });
});

it('a replay does not create a record with another api_name', async () => {
  const key = newKey();
  await scene.client.post(goals, { name: 'Goal' }, key);
  await make.goal();
  await scene.client.post(goals, { name: 'Goal' }, key);
  const names = ((await scene.client.get(goals)).body as Made[]).map(({ api_name }) => api_name);
  expect(names).toEqual(['goal', 'goal-2']);
});
