import { changeOf } from '../support/resources';
import { anotherProject, KINDS, Made, Maker, refusedPaths, useScene } from '../support/scene';

const names = (body: Made[]): string[] => body.map(({ name }) => name);

/** The query parameters of a `Link` header by `rel`. */
function linksOf(header: string | undefined): Record<string, Record<string, string>> {
  const links = [...(header ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(
    links.map(([, address = '', relation = '']) => {
      const url = new URL(address);
      expect(url.origin).toBe('https://ab.example.com');
      return [relation, { path: url.pathname, ...Object.fromEntries(url.searchParams) }];
    }),
  );
}

const scene = useScene();

describe.each([...KINDS, 'variations'])('lists of %s', (kind) => {
  let collection: string;
  let items: Made[];

  beforeAll(async () => {
    const make = await anotherProject(scene);
    const parent = kind === 'variations' ? await make.experiment() : null;
    collection = parent === null ? `${make.project}/${kind}` : `${parent.path}/variations`;
    items = [];
    for (const name of ['Delta', 'alpha', 'Charlie', 'bravo', 'Écho', 'alpha']) {
      items.push(await scene.make.make(collection, { name }));
    }
    await scene.client.patch(items[2].path, changeOf(kind));
  });

  const list = (query = '') => scene.client.get(`${collection}${query}`);

  it('contain all records, sorted by id, without pagination', async () => {
    const { status, body, headers } = await list();
    expect(status).toBe(200);
    expect(body.map(({ id }: Made) => id)).toEqual(items.map(({ id }) => id));
    expect([headers['x-total-count'], headers.link]).toEqual(['6', undefined]);
  });

  it.each([
    ['id', ['Delta', 'alpha', 'Charlie', 'bravo', 'Écho', 'alpha']],
    ['-id', ['alpha', 'Écho', 'bravo', 'Charlie', 'alpha', 'Delta']],
    ['name', ['alpha', 'alpha', 'bravo', 'Charlie', 'Delta', 'Écho']],
    ['-name', ['Écho', 'Delta', 'Charlie', 'bravo', 'alpha', 'alpha']],
    ['created_at', ['Delta', 'alpha', 'Charlie', 'bravo', 'Écho', 'alpha']],
    ['-created_at', ['alpha', 'Écho', 'bravo', 'Charlie', 'alpha', 'Delta']],
  ])('can be sorted by %s', async (sort, expected) => {
    expect(names((await list(`?sort=${sort}`)).body)).toEqual(expected);
  });

  it('can be sorted by the time of the last change', async () => {
    expect(names((await list('?sort=updated_at')).body).at(-1)).toBe('Charlie');
    expect(names((await list('?sort=-updated_at')).body)[0]).toBe('Charlie');
  });

  it.each(['', 'Name', 'api_name', '--id', '-', 'id,name', '+id', 'updated_at desc', 'constructor', '1'])(
    'cannot be sorted by %j',
    async (sort) => {
      expect(refusedPaths(await list(`?sort=${encodeURIComponent(sort)}`))).toEqual(['sort']);
    },
  );

  it.each([
    ['ALPHA', 2],
    ['lph', 2],
    ['É', 1],
    ['é', 1],
    ['e\u0301', 1],
    ['E', 2],
    ['', 6],
    ['%', 0],
    ['_', 0],
    ["'", 0],
    ['\\', 0],
    ['nothing like it', 0],
  ])('can be searched for %j, ignoring case', async (search, count) => {
    const { status, body, headers } = await list(`?search=${encodeURIComponent(search)}`);
    expect([status, body.length, headers['x-total-count']]).toEqual([200, count, String(count)]);
  });

  it('can be searched for letters that have a special form at the end of words', async () => {
    const collectionPath = collection.replace(/\d+/, String(scene.world.projectId));
    const path =
      kind === 'variations' ? `${(await scene.make.experiment()).path}/variations` : collectionPath;
    await scene.make.make(path, { name: 'Οδυσσεύς' });
    for (const search of ['ΟΔΥΣ', 'οδυσσεύς', 'ΣΕΎΣ']) {
      expect(names((await scene.client.get(`${path}?search=${encodeURIComponent(search)}`)).body)).toEqual([
        'Οδυσσεύς',
      ]);
    }
  });

  it.each([
    ['?page=1&per_page=2', ['Delta', 'alpha'], { first: '1', next: '2', last: '3' }],
    ['?page=2&per_page=2', ['Charlie', 'bravo'], { first: '1', prev: '1', next: '3', last: '3' }],
    ['?page=3&per_page=2', ['Écho', 'alpha'], { first: '1', prev: '2', last: '3' }],
    [
      '?page=1&per_page=6',
      ['Delta', 'alpha', 'Charlie', 'bravo', 'Écho', 'alpha'],
      { first: '1', last: '1' },
    ],
    ['?per_page=4', ['Delta', 'alpha', 'Charlie', 'bravo'], { first: '1', next: '2', last: '2' }],
    ['?page=2&per_page=4&sort=name', ['Delta', 'Écho'], { first: '1', prev: '1', last: '2' }],
    ['?page=1&per_page=1&search=alpha', ['alpha'], { first: '1', next: '2', last: '2' }],
  ])('are paginated: %s', async (query, expected, pages) => {
    const { body, headers } = await list(query);
    expect(names(body)).toEqual(expected);
    expect(headers['x-total-count']).toBe(query.includes('search') ? '2' : '6');
    const links = linksOf(headers.link);
    expect(Object.fromEntries(Object.entries(links).map(([relation, { page }]) => [relation, page]))).toEqual(
      pages,
    );
    const asked = new URLSearchParams(query);
    for (const link of Object.values(links)) {
      expect(link).toMatchObject({ path: `/api${collection}`, per_page: asked.get('per_page') });
      expect([link.sort ?? null, link.search ?? null]).toEqual([asked.get('sort'), asked.get('search')]);
    }
  });

  it('have 100 entries on a page by default, and links to other pages', async () => {
    const { body, headers } = await list('?page=1');
    expect(body).toHaveLength(6);
    expect(linksOf(headers.link)).toMatchObject({
      first: { page: '1', per_page: '100' },
      last: { page: '1' },
    });
  });

  it.each([
    '?page=4&per_page=2',
    '?page=2',
    '?page=1000000&per_page=500',
    '?page=99999999999999999999&per_page=500',
    '?page=1&search=nothing',
  ])('are empty past the end: %s', async (query) => {
    const { status, body, headers } = await list(query);
    expect([status, body]).toEqual([200, []]);
    expect(headers['x-total-count']).toBe(query.includes('search') ? '0' : '6');
    const { next, last } = linksOf(headers.link);
    expect(next).toBeUndefined();
    expect(last).toBeDefined();
  });

  it.each([
    ['?page=0', ['page']],
    ['?page=-1', ['page']],
    ['?page=1.5', ['page']],
    ['?page=abc', ['page']],
    ['?page=', ['page']],
    ['?page=1e3', ['page']],
    ['?page=0000', ['page']],
    ['?per_page=0', ['per_page']],
    ['?per_page=501', ['per_page']],
    ['?per_page=all', ['per_page']],
    ['?page=1&page=2', ['page']],
    ['?per_page=1&per_page=1', ['per_page']],
    ['?sort=id&sort=name', ['sort']],
    ['?search=a&search=b', ['search']],
    ['?page=0&per_page=0&sort=x&search=a&search=b', ['page', 'per_page', 'search', 'sort']],
  ])('reject %s', async (query, paths) => {
    expect(refusedPaths(await list(query))).toEqual(paths);
  });

  it.each([
    '?foo=bar',
    '?foo=a&foo=b',
    '?page[]=0',
    '?PAGE=0',
    '?',
    '?&&=',
    '?__proto__=1',
    '?limit=1&offset=x',
  ])('ignore unknown parameters: %s', async (query) => {
    const { status, body } = await list(query);
    expect([status, body.length]).toEqual([200, 6]);
  });
});

describe('the list of experiments', () => {
  const scene = useScene();
  let make: Maker;

  beforeAll(async () => {
    make = await anotherProject(scene);
    await make.withStatus('draft', { name: 'draft', tags: ['red', 'Blue'] });
    await make.withStatus('preview', { name: 'preview', tags: ['redder', 'red, blue'] });
    await make.withStatus('running', { name: 'running', tags: ['blue', 'green tea'] });
    await make.withStatus('pause', { name: 'pause' });
    await make.withStatus('archive', { name: 'archive', tags: ['red', 'blue'] });
  });

  const list = (query: string) => scene.client.get(`${make.project}/experiments${query}`);

  it.each([
    ['?status=running', ['running']],
    ['?status=running,draft', ['draft', 'running']],
    ['?status[]=running&status[]=draft', ['draft', 'running']],
    ['?status=draft,preview,running,pause,archive', ['draft', 'preview', 'running', 'pause', 'archive']],
    ['?tags=red', ['draft', 'archive']],
    ['?tags=blue', ['running', 'archive']],
    ['?tags=Blue,redder', ['draft', 'preview']],
    ['?tags=green%20tea', ['running']],
    ['?tags=green', []],
    ['?tags=re%25', []],
    ['?tags=nothing', []],
    ['?tags[]=red,%20blue', ['preview']],
    ['?tags[0]=red,%20blue&tags[1]=green%20tea', ['preview', 'running']],
    ['?tags[]=%20red%20', ['draft', 'archive']],
    ['?tags[]=red,blue&tags=Blue,nothing', ['draft']],
    ['?status=draft,running&tags=blue', ['running']],
    ['?status=draft&search=RUN', []],
    ['?search=A&status=draft,pause&sort=-name', ['pause', 'draft']],
  ])('can be filtered by %s', async (query, expected) => {
    const { status, body, headers } = await list(query);
    expect([status, names(body), headers['x-total-count']]).toEqual([200, expected, String(expected.length)]);
  });

  it.each([
    ['?status=', ['status']],
    ['?tags=', ['tags']],
    ['?tags=,&status=', ['status', 'tags']],
    ['?tags[]=', ['tags']],
    ['?status=started', ['status']],
    ['?status=Running', ['status']],
    ['?status=running,started', ['status']],
    ['?status=x&sort=x&page=x&fields=x&variations=x', ['fields', 'page', 'sort', 'status', 'variations']],
  ])('rejects %s', async (query, paths) => {
    expect(refusedPaths(await list(query))).toEqual(paths);
  });

  it('has 100 entries on a page by default', async () => {
    const crowded = await anotherProject(scene);
    await Promise.all(
      Array.from({ length: 101 }, (_, index) => crowded.experiment({ name: `Number ${index}` })),
    );
    const pages = [1, 2, 3].map((page) =>
      scene.client.get(`${crowded.project}/experiments?fields=id&page=${page}`),
    );
    const [first, second, third] = await Promise.all(pages);
    expect([first, second, third].map((answer) => answer.body.length)).toEqual([100, 1, 0]);
    expect(first.headers['x-total-count']).toBe('101');
    expect((await scene.client.get(`${crowded.project}/experiments?fields=id`)).body).toHaveLength(101);
  });

  it('handles a filter with thousands of tags', async () => {
    const answer = await list(`?tags=${Array.from({ length: 3_000 }, (_, index) => index).join(',')}`);
    expect([200, 422]).toContain(answer.status);
  });

  it('contains no records from the trash', async () => {
    const made = await make.experiment({ name: 'trashed' });
    await scene.client.delete(made.path);
    const { body, headers } = await list('?search=trashed');
    expect([body, headers['x-total-count']]).toEqual([[], '0']);
  });
});
