import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { TrashService } from '../../src/projects/trash/trash.service';
import { anotherProject, errorsOf, Made, Maker, refusedPaths, useScene } from '../support/scene';

/* The files that browsers and SDKs load. */

const scene = useScene();
let make: Maker;
let experiment: Made;
let key: string;

beforeAll(async () => {
  make = await anotherProject(scene);
  experiment = await make.withStatus('running', {
    api_name: 'first',
    example_url: 'https://a.example/?b=1#c',
  });
  key = (await scene.client.get(make.project)).body.client_key as string;
});

const raw = (
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' = 'GET',
) => scene.api.app.inject({ method, url, headers });

describe('the script', () => {
  it('is sent in the requested content coding, with a separate ETag per coding', async () => {
    const plain = await raw(`/s/${key}.js`);
    const [gzip, brotli] = [
      await raw(`/s/${key}.js`, { 'accept-encoding': 'gzip, deflate' }),
      await raw(`/s/${key}.js`, { 'accept-encoding': 'gzip, deflate, br' }),
    ];
    expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      'br',
    ]);
    expect(gunzipSync(gzip.rawPayload)).toEqual(plain.rawPayload);
    expect(brotliDecompressSync(brotli.rawPayload)).toEqual(plain.rawPayload);
    expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    expect((await raw(`/s/${key}.js`, { 'accept-encoding': 'br;q=0, gzip;q=0' })).rawPayload).toEqual(
      plain.rawPayload,
    );
  });

  it('can be cached for a minute, and is 304 if unchanged', async () => {
    const { headers } = await raw(`/s/${key}.js`);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=60, stale-if-error=86400',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-snippet-revision': '1',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(headers['set-cookie']).toBeUndefined();
    const again = await raw(`/s/${key}.js`, { 'if-none-match': headers.etag as string });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
    const head = await raw(`/s/${key}.js`, {}, 'HEAD');
    expect([head.statusCode, head.rawPayload.length, head.headers.etag]).toEqual([200, 0, headers.etag]);
  });

  it('with a revision in its URL is immutable', async () => {
    const first = await raw(`/s/${key}/1.js`);
    expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    await scene.client.patch(experiment.path, { css: '.edited{}' });
    await scene.client.patch(`${experiment.path}/publish`);
    expect((await raw(`/s/${key}.js`)).headers['x-snippet-revision']).toBe('2');
    expect((await raw(`/s/${key}/1.js`)).rawPayload).toEqual(first.rawPayload);
    expect((await raw(`/s/${key}/2.js`)).payload).toContain('.edited{}');
  });

  it.each(['0', '3', '01', '-1', '1.5', '99999999999', 'x'])('has no revision %s', async (revision) => {
    expect((await raw(`/s/${key}/${revision}.js`)).statusCode).toBe(404);
  });

  it.each(['/s/pk_nobody.js', '/s/.js', '/s/pk_nobody/1.js', '/s/x.css', '/api/features/pk_nobody'])(
    'is not available at %s',
    async (url) => {
      const answer = await raw(url);
      expect([answer.statusCode, answer.json()]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    },
  );

  it('is deleted with its project, and so is the payload', async () => {
    const other = await anotherProject(scene);
    const { client_key } = (await scene.client.get(other.project)).body as { client_key: string };
    expect((await raw(`/s/${client_key}.js`)).statusCode).toBe(200);
    await scene.client.delete(other.project);
    expect((await raw(`/s/${client_key}.js`)).statusCode).toBe(404);
    expect((await raw(`/api/features/${client_key}`)).statusCode).toBe(404);
  });
});

describe('the payload', () => {
  it('is available to any site, with an ETag, without names', async () => {
    const answer = await raw(`/api/features/${key}`, { origin: 'https://shop.example' });
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(
      (await raw(`/api/features/${key}`, { 'if-none-match': answer.headers.etag as string })).statusCode,
    ).toBe(304);
    const [a, b] = experiment.variations as Made[];
    const payload = {
      features: {
        first: {
          rules: [
            {
              key: `exp-${experiment.id}`,
              seed: `exp-${experiment.id}`,
              hashAttribute: 'id',
              hashVersion: 2,
              ranges: [
                [0, 0.5],
                [0.5, 1],
              ],
              variations: ['original', 'variation'],
              meta: [{ key: String(a.id) }, { key: String(b.id) }],
              phase: '1',
            },
          ],
        },
      },
      experiments: [],
    };
    expect(answer.json()).toEqual(payload);
    expect((await raw(`/api/features/${key}?experiments=1`)).json()).toEqual({
      ...payload,
      experiments: [expect.objectContaining({ key: `exp-${experiment.id}` })],
    });
  });

  it('depends on the environment', async () => {
    const environments = await raw(`/api/features/${key}?environment=production`);
    expect(environments.json()).toEqual((await raw(`/api/features/${key}`)).json());
    const refused = await scene.client.get(`//api/features/${key}?environment=staging`);
    expect(errorsOf(refused)).toEqual({ environment: ['The environment must be one of: production.'] });
    const both = await scene.client.get(`//api/features/${key}?environment=staging&experiments=all`);
    expect(refusedPaths(both)).toEqual(['environment', 'experiments']);
  });

  it('supports CORS preflights', async () => {
    const answer = await raw(`/api/features/${key}`, { origin: 'https://a.example' }, 'OPTIONS');
    expect([answer.statusCode, answer.headers['access-control-allow-methods']]).toEqual([204, 'GET']);
  });
});

it.each(['', '/1', '/preview/1.x'])('the script%s supports CORS preflights', async (rest) => {
  const answer = await raw(`/s/${key}${rest}.js`, { origin: 'https://a.example' }, 'OPTIONS');
  expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, '*']);
});

describe('a preview link', () => {
  const tokenOf = (made: Made, index = 1): string =>
    new URL(made.variations[index].preview_url as string).searchParams.get('gosset_preview')!;

  it.each(['draft', 'preview', 'running', 'pause'])('shows a variation in status %s', async (status) => {
    const own = await make.withStatus(status, { example_url: 'https://a.example/', css: `.${status}{}` });
    const answer = await raw(`/s/${key}/preview/${tokenOf(own)}.js`);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.payload).toContain(`.${status}{}`);
  });

  it('shows unpublished changes', async () => {
    const own = await make.withStatus('running', { example_url: 'https://a.example/' });
    await scene.client.patch(own.path, { css: '.unpublished{}' });
    expect((await raw(`/s/${key}/preview/${tokenOf(own)}.js`)).payload).toContain('.unpublished{}');
    expect((await raw(`/s/${key}.js`)).payload).not.toContain('.unpublished{}');
  });

  const statusOf = async (token: string): Promise<number> =>
    (await raw(`/s/${key}/preview/${token}.js`)).statusCode;
  const linkOf = async ({ path }: Made): Promise<string> =>
    tokenOf((await scene.client.get(path)).body as Made);

  it('stays the same until the links of its experiment are rotated, and is then invalid', async () => {
    const own = await make.withStatus('running', { example_url: 'https://a.example/' });
    const other = await make.ready({ example_url: 'https://a.example/' });
    const tokens = [tokenOf(own)];
    await scene.client.patch(own.path, { css: '.changed{}' });
    await scene.client.patch(`${own.path}/status`, { status: 'pause' });
    expect(await linkOf(own)).toBe(tokens[0]);
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await scene.client.post(`${own.path}/previews/rotate`);
      expect([status, body]).toEqual([200, (await scene.client.get(own.path)).body]);
      tokens.push(await linkOf(own));
    }
    expect(new Set(tokens).size).toBe(3);
    expect(await Promise.all(tokens.map(statusOf))).toEqual([404, 404, 200]);
    const variation = await scene.client.get(`${own.path}/variations/${own.variations[1].id}`);
    expect(variation.body.preview_url).toContain(tokens[2]);
    expect(await statusOf(tokenOf(other))).toBe(200);
  });

  it('is permanently invalid if its experiment is archived or deleted', async () => {
    const archived = await make.withStatus('pause', { example_url: 'https://a.example/' });
    const deleted = await make.ready({ example_url: 'https://a.example/' });
    const before = [tokenOf(archived), tokenOf(deleted)];
    await scene.client.patch(`${archived.path}/status`, { status: 'archive' });
    await scene.client.delete(deleted.path);
    expect(await Promise.all(before.map(statusOf))).toEqual([404, 404]);
    await scene.client.patch(`${archived.path}/status`, { status: 'pause' });
    const trash = scene.api.app.get(TrashService, { strict: false });
    expect(await trash.restore({ type: 'experiment', id: deleted.id }, 'admin')).toBeNull();
    expect(await Promise.all(before.map(statusOf))).toEqual([404, 404]);
    const after = [await linkOf(archived), await linkOf(deleted)];
    expect(await Promise.all(after.map(statusOf))).toEqual([200, 200]);
  });

  it('is not rotated for archived experiments, in a dry run, or twice with one key, and its audit entry has no links', async () => {
    const archived = await make.withStatus('archive', { example_url: 'https://a.example/' });
    const refused = await scene.client.post(`${archived.path}/previews/rotate`);
    expect([refused.status, Object.keys(errorsOf(refused))]).toEqual([422, ['status']]);
    const own = await make.ready({ example_url: 'https://a.example/' });
    const dry = await scene.client.post(`${own.path}/previews/rotate?dry_run=1`);
    expect([dry.status, await linkOf(own)]).toEqual([200, tokenOf(own)]);
    const idempotent = { 'idempotency-key': 'rotate once' };
    const first = await scene.client.post(`${own.path}/previews/rotate`, undefined, idempotent);
    const again = await scene.client.post(`${own.path}/previews/rotate`, undefined, idempotent);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const entries: object[] = await scene.api.database.read.query(
      "SELECT source, project_id, item_type, `before`, `after` FROM audit_entries WHERE action = 'rotate-previews' AND item_id = ?",
      [own.id],
    );
    expect(entries).toMatchObject([{ source: 'api', item_type: 'experiment', before: null, after: null }]);
    const moves: object[] = await scene.api.database.read.query(
      "SELECT `before`, `after` FROM audit_entries WHERE action = 'status' AND item_id = ?",
      [archived.id],
    );
    expect(JSON.stringify(moves)).not.toContain('gosset_preview');
  });

  it('is 404 for archived or deleted experiments, with a wrong signature, and in other projects', async () => {
    const archived = await make.withStatus('archive', { example_url: 'https://a.example/' });
    const deleted = await make.ready({ example_url: 'https://a.example/' });
    await scene.client.delete(deleted.path);
    const own = await make.ready({ example_url: 'https://a.example/' });
    const other = (await scene.client.get(scene.project)).body.client_key as string;
    const token = tokenOf(own);
    const wrong = `${own.variations[0].id}.${token.split('.')[1]}`;
    const paths = [
      `${key}/preview/${tokenOf(archived)}`,
      `${key}/preview/${tokenOf(deleted)}`,
      `${key}/preview/${wrong}`,
      `${key}/preview/${own.variations[1].id}`,
      `${key}/preview/x.y`,
      `${other}/preview/${token}`,
    ];
    for (const path of paths) {
      expect([path, (await raw(`/s/${path}.js`)).statusCode]).toEqual([path, 404]);
    }
  });
});

it('the script is identical for equal publications', async () => {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  const before = await raw(`/s/${key}.js`);
  const [sibling] = [await scene.api.sibling()];
  const there = await sibling.app.inject({ method: 'GET', url: `/s/${key}.js` });
  await sibling.close();
  expect(digest(there.payload)).toBe(digest(before.payload));
});
