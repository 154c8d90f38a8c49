import { Tags } from '../../src/common/http/etag';
import { VERSION } from '../../src/config/version';
import type { Answer } from '../support/client';
import { changeOf, pathsOf, RESOURCES, WRITABLE } from '../support/resources';
import { anotherProject, KINDS, type Made, type Maker, useScene } from '../support/scene';
import { addressesOf, setStage, Stage } from '../support/stage';
import { statementsDuring } from '../support/statements';

/* ETag and If-None-Match. */

const scene = useScene();
let stage: Stage;
beforeAll(async () => {
  stage = await setStage(scene);
});

const NAMES = [
  'teams',
  'projects',
  'project',
  'experiments',
  'experiments?fields',
  ...pathsOf(RESOURCES),
  ...WRITABLE.map(({ type }) => `spare ${type}`),
  'audience',
  'page',
  'goal',
  'environment',
  'experiment',
  'experiment?fields',
  'variations',
  'variation',
];

const read = (
  name: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
): Promise<Answer> => scene.client.send(method, addressesOf(stage)[name], undefined, headers);

const tagOf = ({ headers }: Answer): string => headers.etag ?? 'none';

describe.each(NAMES)('%s', (name) => {
  it('has a strong ETag, which stays the same while nothing changes', async () => {
    const answers = [await read(name), await read(name), await read(name, {}, 'HEAD')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(tagOf(answers[0])).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(new Set(answers.map(tagOf)).size).toBe(1);
    expect(answers[1].text).toBe(answers[0].text);
  });

  it('is 304 without a body if If-None-Match has its ETag', async () => {
    const tag = tagOf(await read(name));
    const known = [tag, `W/${tag}`, '*', `"a", ${tag}`, `"a",${tag} , "b"`, `W/"a", W/${tag}`, ` ${tag} `];
    for (const header of known) {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await read(name, { 'if-none-match': header }, method);
        expect([header, answer.status, answer.text, tagOf(answer)]).toEqual([header, 304, '', tag]);
        expect(answer.headers['content-type']).toBeUndefined();
      }
    }
  });

  it('is 200 with its body if If-None-Match has other ETags', async () => {
    const known = await read(name);
    const tag = tagOf(known);
    const others = [
      '"a"',
      tag.slice(1, -1),
      tag.slice(0, -2) + '"',
      `"${tag}"`,
      '',
      ',',
      'W/',
      tag.toUpperCase(),
    ];
    for (const header of others.filter((other) => other !== tag)) {
      const { status, text } = await read(name, { 'if-none-match': header });
      expect([header, status, text]).toEqual([header, 200, known.text]);
    }
  });

  it('responds to HEAD with the headers of GET and no body', async () => {
    const [got, headed] = [await read(name), await read(name, {}, 'HEAD')];
    const { date: _date, 'x-request-id': _id, ...headers } = got.headers;
    expect(headed.headers).toMatchObject(headers);
    expect([headed.status, headed.text]).toEqual([200, '']);
    expect(headed.headers['content-length']).toBe(String(Buffer.byteLength(got.text)));
  });

  it('needs one SQL statement if nothing has changed, with or without a body', async () => {
    const tag = tagOf(await read(name));
    const statuses: number[] = [];
    const statements = await statementsDuring(scene.api, async () => {
      for (const headers of [{}, { 'if-none-match': tag }, { 'if-none-match': '"a"' }]) {
        statuses.push((await read(name, headers as Record<string, string>)).status);
      }
      statuses.push((await read(name, {}, 'HEAD')).status);
    });
    const own = statements.filter((sql) => !sql.includes('api_tokens') && !/^(BEGIN|START|COMMIT)/.test(sql));
    expect(statuses).toEqual([200, 304, 200, 200]);
    expect(own).toHaveLength(4);
  });
});

it('the ETag of a record contains the release, the public URL and the secret of the server', async () => {
  const { publicUrl, sessionSecret } = scene.api.config;
  const { body, headers } = await read('goal');
  const version = /\.(\d+)"$/.exec(headers.etag ?? '')?.[1];
  const tags = new Tags(VERSION, publicUrl, sessionSecret ?? '');
  expect(headers.etag).toBe(tags.record((body as Made).id, Number(version)));
});

describe.each(['audit', 'publications', 'deliveries'])('the ETag of the %s list', (list) => {
  let make: Maker;
  let path: string;
  let page: string;

  beforeAll(async () => {
    make = await anotherProject(scene);
    const webhook = await make.make(`${make.project}/webhooks`, {
      name: 'Chat',
      url: 'https://hooks.example.com/',
      events: ['experiment.started'],
    });
    path = list === 'deliveries' ? `${webhook.path}/deliveries` : `${make.project}/${list}`;
    page = `${path}?page=2&per_page=1`;
    await make.withStatus('running');
    await make.withStatus('running');
  });

  const statusFor = async (url: string, etag: string | undefined): Promise<number> =>
    (await scene.client.get(url, { 'if-none-match': etag ?? '' })).status;

  it('stays the same while the response does', async () => {
    for (const url of [path, page]) {
      const { headers, body } = await scene.client.get(url);
      expect([body.length > 0, headers.etag]).toEqual([true, expect.stringMatching(/^"[^"]+"$/)]);
      expect([await statusFor(url, headers.etag), await statusFor(url, `W/${headers.etag}`)]).toEqual([
        304, 304,
      ]);
    }
    expect(await statusFor(page, (await scene.client.get(path)).headers.etag)).toBe(200);
  });

  it('changes with new entries, even on later pages, and with the number of entries', async () => {
    const far = `${path}?page=1000`;
    const before = await Promise.all([path, page, far].map((url) => scene.client.get(url)));
    await make.withStatus('running');
    for (const [index, url] of [path, page, far].entries()) {
      expect([url, await statusFor(url, before[index].headers.etag)]).toEqual([url, 200]);
    }
  });
});

describe('the ETags of different responses', () => {
  it('are the same for all pages, filters and selections of a list, whose URLs differ', async () => {
    const make = await anotherProject(scene);
    await make.goal({ name: 'A' });
    await make.goal({ name: 'B' });
    const path = `${make.project}/goals`;
    const [all, first, second, found] = await Promise.all(
      ['', '?page=1&per_page=1', '?page=2&per_page=1', '?search=b'].map((query) =>
        scene.client.get(path + query),
      ),
    );
    expect([all.body.length, first.body[0].name, second.body[0].name, found.body[0].name]).toEqual([
      2,
      'A',
      'B',
      'B',
    ]);
    for (const [query, answer] of Object.entries({ '?page=1&per_page=1': first, '?search=b': found })) {
      const again = await scene.client.get(path + query, { 'if-none-match': answer.headers.etag! });
      expect(again.status).toBe(304);
      const cached = await scene.client.get(path + query);
      expect([cached.text, cached.headers.link, cached.headers['x-total-count']]).toEqual([
        answer.text,
        answer.headers.link,
        answer.headers['x-total-count'],
      ]);
    }
  });

  it('differ between projects, experiments and records', async () => {
    const tags: (string | undefined)[] = [];
    for (const make of [await anotherProject(scene), await anotherProject(scene)]) {
      for (const kind of ['experiments', ...pathsOf(RESOURCES)]) {
        tags.push((await scene.client.get(`${make.project}/${kind}`)).headers.etag);
      }
      for (const { path } of [await make.goal(), await make.goal()]) {
        tags.push((await scene.client.get(path)).headers.etag);
      }
      for (const { path } of [await make.experiment(), await make.experiment()]) {
        tags.push((await scene.client.get(`${path}/variations`)).headers.etag);
      }
    }
    expect(new Set(tags).size).toBe(tags.length);
  });

  it("do not give one user access to another user's data", async () => {
    const { body: _body, headers } = await scene.client.get(scene.project);
    const other = await scene.other.client.get(scene.project, { 'if-none-match': headers.etag! });
    const anything = await scene.other.client.get(scene.project, { 'if-none-match': '*' });
    expect([other.status, anything.status]).toEqual([404, 404]);
  });

  it('differ per user for the list of teams', async () => {
    const [{ headers }, other] = [await scene.client.get('/teams'), await scene.other.client.get('/teams')];
    expect(other.headers.etag).not.toBe(headers.etag);
    const again = await scene.other.client.get('/teams', { 'if-none-match': headers.etag! });
    expect([again.status, again.text]).toEqual([200, other.text]);
  });
});

describe('responses to writes', () => {
  it('have the new ETag of the changed record', async () => {
    const make = await anotherProject(scene);
    const { client } = scene;
    const same = async (answer: Answer, path: string) => {
      expect(answer.status).toBeLessThan(300);
      expect((await client.get(path)).headers.etag).toBe(tagOf(answer));
      expect((await client.get(path)).text).toBe(answer.text);
    };
    const pathOf = (collection: string, answer: Answer) =>
      `${collection}/${(answer.body as { id: number }).id}`;
    for (const kind of KINDS) {
      const collection = `${make.project}/${kind}`;
      const created = await client.post(collection, { name: 'New' });
      const path = pathOf(collection, created);
      await same(created, path);
      await same(await client.put(path, { name: 'Newer' }), path);
      await same(await client.patch(path, changeOf(kind)), path);
      await same(await client.patch(path, {}), path);
      await same(await client.post(`${collection}/find-by-name`, { name: 'Newer' }), path);
    }
    const { path } = await make.ready();
    await same(await client.patch(`${path}/status`, { status: 'running' }), path);
    await same(await client.patch(`${path}/status`, { status: 'running' }), path);
    const cloned = await client.post(`${path}/clone`);
    await same(cloned, pathOf(`${make.project}/experiments`, cloned));
    const variation = await client.post(`${path}/variations`, { name: 'New' });
    await same(variation, pathOf(`${path}/variations`, variation));
    await same(
      await client.put(pathOf(`${path}/variations`, variation), { js: 'f()' }),
      pathOf(`${path}/variations`, variation),
    );
    await same(await client.put(make.project, { description: 'New' }), make.project);
  });

  it('are never 304, whatever If-None-Match contains', async () => {
    const make = await anotherProject(scene);
    const headers = { 'if-none-match': '*' };
    const goal = await scene.client.post(`${make.project}/goals`, { name: 'Goal' }, headers);
    const path = `${make.project}/goals/${goal.body.id}`;
    const found = await scene.client.post(`${make.project}/goals/find-by-name`, { name: 'Goal' }, headers);
    const put = await scene.client.put(path, { name: 'New' }, headers);
    const deleted = await scene.client.delete(path, headers);
    expect([goal.status, found.status, put.status, deleted.status]).toEqual([201, 200, 200, 204]);
  });

  it('have no ETag if they are errors or have no body', async () => {
    const make = await anotherProject(scene);
    const goal = await make.goal();
    const answers = [
      await scene.client.get(`${make.project}/goals/2147483647`),
      await scene.client.patch(goal.path, { type: 'nothing' }),
      await scene.client.delete(goal.path),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.etag])).toEqual([
      [404, undefined],
      [422, undefined],
      [204, undefined],
    ]);
  });
});
