import { Webhook as Verifier } from 'standardwebhooks';
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-events';
import { errorsOf, Made, refusedPaths, TIMESTAMP, useScene } from '../support/scene';
import { LOOPBACK, sendDue, subscribe, useReceiver } from '../support/webhooks';

const DAY = 86_400_000_000;
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
const collection = (): string => `${scene.project}/webhooks`;

describe('webhooks', () => {
  it('have every field of the API contract, and a secret that is shown once', async () => {
    const fields = { name: 'Releases', url: 'https://hooks.example.com/a', events: ['project.published'] };
    const answer = await scene.client.post(collection(), fields);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project_id: scene.world.projectId,
      ...fields,
      format: 'json',
      is_active: true,
      secret: expect.stringMatching(SECRET),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: answer.body.created_at,
    });
    const { secret: _, ...shown } = answer.body;
    const path = `${collection()}/${answer.body.id}`;
    expect(answer.headers.location).toBe(`https://ab.example.com/api${path}`);
    expect((await scene.client.get(path)).body).toEqual(shown);
    expect((await scene.client.get(collection())).body).toContainEqual(shown);
    const changed = await scene.client.patch(path, { events: WEBHOOK_EVENTS, format: 'slack' });
    expect(changed.body).toMatchObject({ events: [...WEBHOOK_EVENTS], format: 'slack' });
    expect(changed.body).not.toHaveProperty('secret');
    expect((await scene.client.delete(path)).status).toBe(204);
    expect((await scene.client.get(path)).status).toBe(404);
  });

  it('are rejected with all errors', async () => {
    expect(refusedPaths(await scene.client.post(collection(), {}))).toEqual(['events', 'name', 'url']);
    const wrong = { name: 'W', url: 'ftp://x', events: ['experiment.exploded'], format: 'xml', is_active: 1 };
    expect(refusedPaths(await scene.client.post(collection(), wrong))).toEqual([
      'events.0',
      'format',
      'is_active',
      'url',
    ]);
    const made = await subscribe(scene.make, ['snippet.errors']);
    const changes = { url: 'https://10.0.0.1/', events: [], secret: 'whsec_c2VjcmV0' };
    const errors = errorsOf(await scene.client.patch(made.path, changes));
    expect(Object.keys(errors).sort()).toEqual(['events', 'secret', 'url']);
    expect(errors.url[0]).toContain('WEBHOOK_ALLOW');
    expect((await scene.client.get(made.path)).body.url).toBe('https://hooks.example.com/');
  });

  it('are created once with an Idempotency-Key, and show no secret in a dry run', async () => {
    const body = { name: 'Once', url: 'https://hooks.example.com/', events: ['snippet.errors'] };
    const send = () => scene.client.send('POST', collection(), body, { 'idempotency-key': 'webhook-1' });
    const [first, again] = [await send(), await send()];
    expect([first.body.id, first.body.secret]).toEqual([again.body.id, expect.stringMatching(SECRET)]);
    expect(again.body.secret).toBeNull();
    const dry = await scene.client.post(`${collection()}?dry_run=1`, body);
    expect(dry.body).toMatchObject({ id: null, secret: null });
  });

  it('leave neither URL nor secret in the audit log', async () => {
    const made = await subscribe(scene.make, ['snippet.errors'], {
      url: 'https://hooks.example.com/token-1',
    });
    await scene.client.patch(made.path, { url: 'https://other.example.com/token-2' });
    const rotated = await scene.client.post(`${made.path}/rotate`);
    await scene.client.post(`${made.path}/test`);
    await scene.client.delete(made.path);
    const log = await scene.client.get(`${scene.project}/audit?item_type=webhook&item_id=${made.id}`);
    expect(log.body.map(({ action }: Made) => action)).toEqual([
      'delete',
      'test',
      'rotate-secret',
      'update',
      'create',
    ]);
    expect(log.body[3]).toMatchObject({
      before: { url: 'hooks.example.com' },
      after: { url: 'other.example.com' },
    });
    for (const secret of [made.secret, rotated.body.secret, 'token-1', 'token-2']) {
      expect(log.text).not.toContain(secret);
    }
  });
});

describe('a message', () => {
  afterEach(() => jest.restoreAllMocks());

  const verify = (secret: string, { body, headers } = receiver.it.received[0]): unknown =>
    new Verifier(secret).verify(body, headers);

  it('is signed according to Standard Webhooks, and describes the event', async () => {
    const webhook = await subscribe(scene.make, ['experiment.started'], { url: receiver.it.url });
    const experiment = await scene.make.withStatus('running');
    await sendDue(scene.api);
    expect(receiver.it.received).toHaveLength(1);
    expect(verify(webhook.secret)).toMatchObject({
      type: 'experiment.started',
      data: { project_id: scene.world.projectId, experiment: { id: experiment.id } },
    });
    expect(receiver.it.received[0].headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Gosset\/\d/),
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
    });
    const [delivery] = (await scene.client.get(`${webhook.path}/deliveries`)).body;
    expect(delivery).toMatchObject({
      message_id: receiver.it.received[0].headers['webhook-id'],
      status: 'delivered',
      tries: 1,
      response_status: 204,
      error: null,
      payload: receiver.it.bodies[0],
      delivered_at: expect.stringMatching(TIMESTAMP),
    });
    await scene.client.delete(webhook.path);
  });

  it('has both signatures for a day after the secret is rotated', async () => {
    const webhook = await subscribe(scene.make, ['snippet.errors'], { url: receiver.it.url });
    const rotated = await scene.client.post(`${webhook.path}/rotate`);
    expect(rotated.body.secret).toMatch(SECRET);
    expect(rotated.body.secret).not.toBe(webhook.secret);
    await scene.client.post(`${webhook.path}/test`);
    await sendDue(scene.api);
    verify(webhook.secret);
    verify(rotated.body.secret);
    await scene.client.post(`${webhook.path}/test`);
    const later = Date.parse(rotated.body.updated_at) * 1_000 + DAY + 1_000_000;
    jest.spyOn(Date, 'now').mockReturnValue(later / 1_000);
    await sendDue(scene.api, later);
    expect(receiver.it.received).toHaveLength(2);
    verify(rotated.body.secret, receiver.it.received[1]);
    expect(() => verify(webhook.secret, receiver.it.received[1])).toThrow('No matching signature');
  });

  it('is a line of text for Slack, without mentions in names', async () => {
    const webhook = await subscribe(scene.make, ['experiment.paused'], {
      url: receiver.it.url,
      format: 'slack',
    });
    const { id } = await scene.make.withStatus('pause', { name: 'Buy <!channel> & more' });
    await sendDue(scene.api);
    const address = `https://ab.example.com/projects/${scene.world.projectId}/experiments/${id}`;
    expect(receiver.it.bodies).toEqual([
      { text: `<${address}|Buy &lt;!channel&gt; &amp; more> was paused.` },
    ]);
    verify(webhook.secret);
    await scene.client.delete(webhook.path);
  });

  it('is a single line for Slack, even if names have line breaks or change the text direction', async () => {
    const webhook = await subscribe(scene.make, ['experiment.paused'], {
      url: receiver.it.url,
      format: 'slack',
    });
    await scene.make.withStatus('pause', { name: 'Buy\nnow \u202ereversed' });
    await sendDue(scene.api);
    expect(receiver.it.bodies).toEqual([
      { text: expect.stringMatching(/\|Buy now reversed> was paused\.$/) },
    ]);
    await scene.client.delete(webhook.path);
  });

  it('says in Slack that a running experiment was moved to preview', async () => {
    const webhook = await subscribe(scene.make, ['experiment.paused'], {
      url: receiver.it.url,
      format: 'slack',
    });
    await scene.make.move(await scene.make.withStatus('running'), 'preview');
    await sendDue(scene.api);
    expect(receiver.it.bodies).toEqual([
      { text: expect.stringMatching(/> was moved to preview and no longer runs\.$/) },
    ]);
    await scene.client.delete(webhook.path);
  });

  it('can be sent as a test, once, even while the webhook is disabled', async () => {
    const webhook = await subscribe(scene.make, ['snippet.errors'], {
      url: receiver.it.url,
      is_active: false,
    });
    receiver.it.answering = (response) => response.writeHead(500).end();
    const test = await scene.client.post(`${webhook.path}/test`);
    expect([test.status, test.body.status, test.body.type]).toEqual([200, 'pending', 'webhook.test']);
    await sendDue(scene.api);
    expect(receiver.it.bodies).toMatchObject([{ type: 'webhook.test', data: { webhook_id: webhook.id } }]);
    const [delivery] = (await scene.client.get(`${webhook.path}/deliveries`)).body;
    expect(delivery).toMatchObject({ status: 'dead', response_status: 500, next_try_at: null });
  });
});

describe('deliveries', () => {
  it('are listed by page and status, newest first, and only dead deliveries can be retried', async () => {
    const webhook = await subscribe(scene.make, ['snippet.errors'], { url: receiver.it.url });
    const ids: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await scene.client.post(`${webhook.path}/test`)).body.id as number);
    }
    const list = async (query: string): Promise<number[]> =>
      (await scene.client.get(`${webhook.path}/deliveries${query}`)).body.map(({ id }: Made) => id);
    expect(await list('')).toEqual([...ids].reverse());
    expect(await list('?per_page=1&page=2')).toEqual([ids[1]]);
    expect(await list('?status=dead')).toEqual([]);
    expect(refusedPaths(await scene.client.get(`${webhook.path}/deliveries?status=gone`))).toEqual([
      'status',
    ]);
    const retried = await scene.client.post(`${webhook.path}/deliveries/${ids[0]}/retry`);
    expect(refusedPaths(retried)).toEqual(['status']);
    const elsewhere = await subscribe(scene.make, ['snippet.errors']);
    expect((await scene.client.post(`${elsewhere.path}/deliveries/${ids[0]}/retry`)).status).toBe(404);
  });
});
