import { isDeepStrictEqual } from 'node:util';
import { dump, rowsFor, send, stepFor, tokenRoutes } from '../support/walk';
import { anotherProject, errorsOf, Made, Maker, TIMESTAMP, useScene } from '../support/scene';

/* A request with `?dry_run=1` makes the same checks and gets the same response as the write, but stores nothing. */

const scene = useScene();

/** Suffixes of POST routes that store nothing. */
const READS = ['/find-by-name', '/plan'];

const isWrite = (method: string, route: string): boolean =>
  method !== 'GET' && !READS.some((path) => route.endsWith(path));

/** Removes request ids and replaces timestamps, because they differ between a dry run and the write. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparable);
  }
  if (typeof value === 'object' && value !== null) {
    const { request_id: _, ...entries } = value as Record<string, unknown>;
    return Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, comparable(entry)]));
  }
  return typeof value === 'string' && TIMESTAMP.test(value) ? 'a moment' : value;
}

/** A dry run returns null for generated links and secrets, because they would not work. */
function withoutSecrets<T extends object | undefined>(record: T): T {
  const made = ['invitation_url', 'secret', 'share_token', 'share_url'].filter(
    (field) => field in (record ?? {}),
  );
  return made.length === 0
    ? record
    : { ...record, ...Object.fromEntries(made.map((field) => [field, null])) };
}

/** The response of a dry run that creates `record`. */
function withoutIds(record: Record<string, unknown>, experimentId: unknown = record.experiment_id): object {
  const variations = record.variations as Record<string, unknown>[] | undefined;
  return {
    ...record,
    ...('user_id' in record ? { user_id: null } : { id: null }),
    ...('message_id' in record ? { message_id: null } : {}),
    ...('client_key' in record ? { client_key: null, snippet_url: null } : {}),
    ...('preview_url' in record ? { preview_url: null, experiment_id: experimentId } : {}),
    ...(variations === undefined ? {} : { variations: variations.map((each) => withoutIds(each, null)) }),
  };
}

describe('a dry run of', () => {
  it.each(rowsFor(isWrite))('%s responds like the write, and stores nothing', async (_, row) => {
    const step = await stepFor(scene, row);
    const before = await dump(scene);
    const dry = await send(scene.client, step, '?dry_run=1');
    expect(await dump(scene)).toEqual(before);
    const real = await send(scene.client, step);
    expect([dry.status, real.status]).toEqual([step.status, step.status]);
    const shown = withoutSecrets(real.body);
    // A revert creates an audit entry, and a webhook test creates a message. Their ids are null in a dry run.
    const isNew = step.status === 201 || /\/(revert|webhooks\/\d+\/test)$/.test(step.path);
    const expected = isNew ? withoutIds(shown) : shown;
    expect(comparable(dry.body)).toEqual(comparable(expected));
    const { 'x-dry-run': mark, etag, location } = dry.headers;
    expect([mark, etag, location, real.headers['x-dry-run']]).toEqual([
      'true',
      undefined,
      undefined,
      undefined,
    ]);
    const body: { status?: unknown; batch?: unknown[] } = step.body ?? {};
    const changesNothing =
      (body.status !== undefined && body.status === row.experiment) ||
      body.batch?.length === 0 ||
      step.path.endsWith('/definition');
    expect(isDeepStrictEqual(await dump(scene), before)).toBe(changesNothing);
  });

  it('every write is tested', () => {
    const tried = new Set(rowsFor(isWrite).map(([, { route }]) => route));
    const writes = tokenRoutes(scene).filter(({ onlyReads }) => !onlyReads);
    expect([...tried].sort()).toEqual(writes.map(({ route }) => route).sort());
  });
});

describe('fields that are generated when a record is stored are null', () => {
  let make: Maker;
  beforeAll(async () => {
    make = await anotherProject(scene);
  });

  it('in an experiment and its variations', async () => {
    const body = { name: 'New', example_url: 'https://shop.example.com/', variations: [{ name: 'A' }] };
    const answer = await scene.client.post(`${make.project}/experiments?dry_run=true`, body);
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({
        id: null,
        name: 'New',
        api_name: 'new',
        variations: [
          expect.objectContaining({ id: null, experiment_id: null, preview_url: null, name: 'A' }),
        ],
      }),
    ]);
  });

  it('in a variation, except the id of its experiment', async () => {
    const { id, path } = await make.experiment({ example_url: 'https://shop.example.com/' });
    const { body } = await scene.client.post(`${path}/variations?dry_run=1`, { name: 'New' });
    expect(body).toMatchObject({ id: null, experiment_id: id, preview_url: null, is_original: true });
  });

  it('but not in an existing record', async () => {
    const experiment = await make.ready();
    const { body } = await scene.client.patch(`${experiment.path}?dry_run=1`, { name: 'Other' });
    expect([body.id, body.variations]).toEqual([experiment.id, experiment.variations]);
  });

  it('but api_names are generated, and one that is in use is rejected', async () => {
    await make.goal({ name: 'Sale' });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => scene.client.post(`${make.project}/goals?dry_run=1`, { name: 'Sale' })),
    );
    expect(answers.map(({ body }) => body.api_name)).toEqual(Array.from({ length: 5 }, () => 'sale-2'));
    const taken = { name: 'Sale', api_name: 'sale' };
    const refused = await scene.client.post(`${make.project}/goals?dry_run=1`, taken);
    expect(Object.keys(errorsOf(refused))).toEqual(['api_name']);
  });
});

describe('a dry run that is rejected', () => {
  const refusals: [what: string, send: (experiment: Made, query: string) => Promise<unknown>][] = [
    [
      'because a field is wrong',
      ({ path }, query) => scene.client.patch(path + query, { traffic_allocation: 101 }),
    ],
    [
      'because the status change is not allowed',
      ({ path }, query) => scene.client.patch(`${path}/status${query}`, { status: 'pause' }),
    ],
    ['because the body is not JSON', ({ path }, query) => scene.client.patch(path + query, '{"name": ')],
    [
      'because the record has since changed',
      ({ path }, query) => scene.client.delete(path + query, { 'if-match': '"a"' }),
    ],
    [
      'because the record does not exist',
      (_, query) => scene.client.delete(`${scene.project}/goals/0${query}`),
    ],
    [
      'because of the role',
      ({ path }, query) => scene.world.people.viewer.client.patch(path + query, { name: 'New' }),
    ],
    [
      'because the request has no token',
      ({ path }, query) => scene.api.as(null).patch(path + query, { name: 'New' }),
    ],
  ];

  it.each(refusals)('%s gets the error of the write, and is marked as a dry run', async (_, refused) => {
    const experiment = await scene.make.ready();
    const [dry, real] = [await refused(experiment, '?dry_run=1'), await refused(experiment, '')] as Awaited<
      ReturnType<typeof scene.client.get>
    >[];
    expect([dry.status, dry.body]).toEqual([real.status, real.body]);
    expect(real.status).toBeGreaterThanOrEqual(400);
    expect([dry.headers['x-dry-run'], real.headers['x-dry-run']]).toEqual(['true', undefined]);
  });
});

describe('the parameter', () => {
  const pages = (): string => `${scene.project}/pages`;

  it.each(['1', 'true'])('requests a dry run with %s', async (value) => {
    const { headers } = await scene.client.post(`${pages()}?dry_run=${value}`, { name: 'Page' });
    expect(headers['x-dry-run']).toBe('true');
  });

  it.each(['0', 'false'])('requests an actual write with %s', async (value) => {
    const answer = await scene.client.post(`${pages()}?dry_run=${value}`, { name: 'Page' });
    expect([answer.status, answer.headers['x-dry-run']]).toEqual([201, undefined]);
  });

  it.each(['yes', '', 'TRUE', '01', '1&dry_run=0'])(
    'is rejected with the value %j, and nothing is stored',
    async (value) => {
      const before = await dump(scene);
      const answer = await scene.client.post(`${pages()}?dry_run=${value}`, { name: 'Page' });
      expect(Object.keys(errorsOf(answer))).toEqual(['dry_run']);
      expect(await dump(scene)).toEqual(before);
    },
  );

  it.each(['dry_run[]=1', 'dry_run%5B%5D=1', 'dry_run[0]=1', 'dry_run[x]=1&dry_run=0'])(
    'is rejected as %j, which is the syntax of lists, and nothing is stored',
    async (query) => {
      const before = await dump(scene);
      const answer = await scene.client.post(`${pages()}?${query}`, { name: 'Page' });
      expect(Object.keys(errorsOf(answer))).toEqual(['dry_run']);
      expect(await dump(scene)).toEqual(before);
    },
  );

  it('is ignored by reads, including find-by-name', async () => {
    await scene.make.page({ name: 'Known' });
    for (const value of ['1', 'yes']) {
      const list = await scene.client.get(`${pages()}?dry_run=${value}`);
      const found = await scene.client.post(`${pages()}/find-by-name?dry_run=${value}`, { name: 'Known' });
      expect([list.status, found.status]).toEqual([200, 200]);
      expect([list.headers['x-dry-run'], found.headers['x-dry-run']]).toEqual([undefined, undefined]);
      expect(found.body.id).toEqual(expect.any(Number));
    }
  });
});

it('a dry run does not affect concurrent writes', async () => {
  const make = await anotherProject(scene);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      scene.client.post(`${make.project}/goals${index % 2 === 0 ? '?dry_run=1' : ''}`, { name: `G${index}` }),
    ),
  );
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  const names = ((await scene.client.get(`${make.project}/goals`)).body as Made[]).map(({ name }) => name);
  expect(names.sort()).toEqual(Array.from({ length: 10 }, (_, index) => `G${index * 2 + 1}`).sort());
});
