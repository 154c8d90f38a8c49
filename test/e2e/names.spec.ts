import { changeOf, hasDescription, pathsOf, WITH_API_NAME } from '../support/resources';
import { anotherProject, astral, errorsOf, KINDS, Made, Maker, useScene } from '../support/scene';

const ALL = [...KINDS, 'variations'];
const UNIQUE = ['experiments', ...pathsOf(WITH_API_NAME), 'variations'];

const scene = useScene();

async function firstOf(kind: string): Promise<{ collection: string; record: Made }> {
  const experiment = await scene.make.experiment();
  const collection = kind === 'variations' ? `${experiment.path}/variations` : `${scene.project}/${kind}`;
  return { collection, record: await scene.make.make(collection, { name: 'First' }) };
}

describe.each(ALL)('names of %s', (kind) => {
  let collection: string;
  let record: Made;

  beforeAll(async () => {
    ({ collection, record } = await firstOf(kind));
  });

  it.each([
    ['one character', 'a', 'a'],
    ['255 characters', 'x'.repeat(255), 'x'.repeat(255)],
    ['255 characters of two UTF-16 units each', astral(255), astral(255)],
    [
      '255 characters that become longer when they are normalized',
      '\u{1d160}'.repeat(255),
      '\u{1d160}'.repeat(255),
    ],
    ['255 characters that become longer in lower case', 'İ'.repeat(255), 'İ'.repeat(255)],
    ['surrounding whitespace, which is trimmed', ' \t Name of it \n', 'Name of it'],
    ['255 characters surrounded by spaces', ` ${'y'.repeat(255)} `, 'y'.repeat(255)],
    ['markup, quotes and backslashes', '<b>\'"\\%_</b>', '<b>\'"\\%_</b>'],
    ['any script', 'Größe 尺寸 حجم 👩‍👩‍👧', 'Größe 尺寸 حجم 👩‍👩‍👧'],
  ])('can have %s', async (_, sent, stored) => {
    const created = await scene.make.make(collection, { name: sent });
    expect(created.name).toBe(stored);
    const updated = await scene.client.put(record.path, { name: sent });
    expect([updated.status, updated.body.name]).toEqual([200, stored]);
    expect((await scene.client.get(record.path)).body.name).toBe(stored);
  });

  it.each([
    ['an empty string', ''],
    ['only whitespace', ' \t\r\n\u00a0 '],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters of two UTF-16 units each', astral(256)],
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00b'],
    ['a number', 5],
    ['null', null],
    ['a list', ['a']],
    ['an object', { name: 'a' }],
    ['true', true],
  ])('cannot be %s', async (_, name) => {
    expect(Object.keys(errorsOf(await scene.client.post(collection, { name })))).toEqual(['name']);
    expect(Object.keys(errorsOf(await scene.client.patch(record.path, { name })))).toEqual(['name']);
  });

  it.each([
    ['characters without a glyph', '\u200b \u2060\u3164\u202e\ufe0f'],
    ['control characters', '\u0001\u0085'],
  ])('cannot consist of %s', async (_, name) => {
    const errors = { name: ['The name must contain a visible character.'] };
    expect(errorsOf(await scene.client.post(collection, { name }))).toEqual(errors);
    expect(errorsOf(await scene.client.patch(record.path, { name }))).toEqual(errors);
  });

  it('that have no glyph, but were accepted by an earlier release, are kept until they are changed', async () => {
    const { path } = await scene.make.make(collection, { name: 'Was invisible' });
    const table = kind.replace('-', '_');
    await scene.api.database.transaction((tx) =>
      tx.query(`UPDATE ${table} SET name = '\u200b' WHERE name = 'Was invisible'`),
    );
    const changed = await scene.client.patch(path, changeOf(kind));
    expect([changed.status, changed.body.name]).toEqual([200, '\u200b']);
    const sentBack = await scene.client.put(path, changed.body);
    expect([sentBack.status, sentBack.body]).toEqual([200, changed.body]);
    const invisible = await scene.client.put(path, { ...changed.body, name: '\u2060' });
    expect(Object.keys(errorsOf(invisible))).toEqual(['name']);
    const renamed = await scene.client.patch(path, { name: 'Visible' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Visible']);
  });

  it('are the only required field', async () => {
    expect(errorsOf(await scene.client.post(collection, {}))).toEqual({
      name: ['The name field is required.'],
    });
    expect(errorsOf(await scene.client.post(collection))).toEqual({ name: ['The name field is required.'] });
  });
});

describe.each(ALL.filter(hasDescription))('descriptions of %s', (kind) => {
  let collection: string;
  let record: Made;

  beforeAll(async () => {
    ({ collection, record } = await firstOf(kind));
  });

  it.each([
    ['an empty string', ''],
    ['10,000 characters', 'd'.repeat(10_000)],
    ['10,000 characters of four bytes', astral(10_000)],
    ['text with surrounding whitespace, which is kept', '  as sent \n'],
    ['null', null],
  ])('can be %s', async (_, description) => {
    const created = await scene.client.post(collection, { name: 'Described', description });
    expect([created.status, created.body.description]).toEqual([201, description]);
    const updated = await scene.client.patch(record.path, { description });
    expect([updated.status, updated.body.description]).toEqual([200, description]);
  });

  it.each([
    ['10,001 characters', 'd'.repeat(10_001)],
    ['10,001 characters of four bytes', astral(10_001)],
    ['NUL', '\0'],
    ['a lone surrogate', '\ud83d'],
    ['a number', 1],
    ['a list', []],
  ])('cannot be %s', async (_, description) => {
    const answer = await scene.client.patch(record.path, { description });
    expect(Object.keys(errorsOf(answer))).toEqual(['description']);
  });
});

describe.each(UNIQUE)('api_names of %s', (kind) => {
  let make: Maker;
  let collection: string;
  const collectionIn = async (project: string, experiment?: string): Promise<string> => {
    if (kind !== 'variations') {
      return `${project}/${kind}`;
    }
    const { path } = await make.experiment({ name: experiment ?? 'Parent' });
    return `${path}/variations`;
  };

  beforeAll(async () => {
    make = await anotherProject(scene);
    collection = await collectionIn(make.project);
  });

  const apiNameOf = async (body: object): Promise<string> =>
    (await scene.make.make(collection, body)).api_name;

  it.each([
    ['Buy button', 'buy-button'],
    ['Crème brûlée', 'creme-brulee'],
    ['snake_case name', 'snake_case-name'],
    ['2026 launch', '2026-launch'],
    ['--- dashes ---', 'dashes'],
    ['long '.repeat(20), `${'long-'.repeat(12)}long`],
  ])('are derived from the name %j', async (name, expected) => {
    expect(await apiNameOf({ name })).toBe(expected);
  });

  it('are valid and unique even if the names have no Latin letters', async () => {
    const names = ['!!!', '尺寸', '👍', '!!!'];
    const apiNames: string[] = [];
    for (const name of names) {
      apiNames.push(await apiNameOf({ name }));
    }
    expect(new Set(apiNames).size).toBe(4);
    for (const apiName of apiNames) {
      expect(apiName).toMatch(/^[a-z0-9][a-z0-9_-]{0,63}$/);
    }
  });

  it('get a suffix such as -2 or -3 if they are taken', async () => {
    expect(await apiNameOf({ name: 'Twin' })).toBe('twin');
    expect(await apiNameOf({ name: 'Twin' })).toBe('twin-2');
    expect(await apiNameOf({ name: 'TWIN!' })).toBe('twin-3');
    expect(await apiNameOf({ name: 'Other', api_name: 'twin-5' })).toBe('twin-5');
    expect(await apiNameOf({ name: 'Twin' })).toBe('twin-4');
    expect(await apiNameOf({ name: 'Twin' })).toBe('twin-6');
  });

  it('have at most 64 characters, including an added number', async () => {
    const name = 'n'.repeat(255);
    expect(await apiNameOf({ name })).toBe('n'.repeat(64));
    expect(await apiNameOf({ name })).toBe(`${'n'.repeat(62)}-2`);
  });

  it.each(['a', '0', 'a'.repeat(64), 'a-_9', '9_'])('can be %j', async (apiName) => {
    expect(await apiNameOf({ name: 'Chosen', api_name: apiName })).toBe(apiName);
  });

  it.each(['', '-a', '_a', 'A', 'a b', 'ä', 'a.b', 'a\nb', 'a'.repeat(65), 5, null, ['a']])(
    'cannot be %j',
    async (apiName) => {
      const answer = await scene.client.post(collection, { name: 'Refused', api_name: apiName });
      expect(Object.keys(errorsOf(answer))).toEqual(['api_name']);
    },
  );

  it('are unique: creates and updates reject an api_name of another record, but accept their own', async () => {
    const first = await scene.make.make(collection, { name: 'Unique', api_name: 'unique' });
    const second = await scene.make.make(collection, { name: 'Second', api_name: 'second' });
    const again = await scene.client.post(collection, { name: 'Again', api_name: 'unique' });
    expect(Object.keys(errorsOf(again))).toEqual(['api_name']);
    const changed = await scene.client.patch(second.path, { api_name: 'unique' });
    expect(Object.keys(errorsOf(changed))).toEqual(['api_name']);
    expect((await scene.client.patch(first.path, { api_name: 'unique' })).status).toBe(200);
    const moved = await scene.client.patch(second.path, { api_name: 'third' });
    expect([moved.status, moved.body.api_name]).toEqual([200, 'third']);
    expect((await scene.client.post(collection, { name: 'Free again', api_name: 'second' })).status).toBe(
      201,
    );
  });

  it('do not change when the name changes', async () => {
    const made = await scene.make.make(collection, { name: 'Before' });
    const { body } = await scene.client.patch(made.path, { name: 'After' });
    expect([body.name, body.api_name]).toEqual(['After', 'before']);
  });

  it('can be the same in other projects', async () => {
    await scene.make.make(collection, { name: 'Shared', api_name: 'shared' });
    const project = `/projects/${await scene.api.project(scene.world.teamId)}`;
    const elsewhere = await collectionIn(project, 'Another parent');
    expect((await scene.client.post(elsewhere, { name: 'Shared', api_name: 'shared' })).status).toBe(201);
    const neighbour = kind === 'goals' ? 'pages' : 'goals';
    const other = await scene.client.post(`${make.project}/${neighbour}`, {
      name: 'Shared',
      api_name: 'shared',
    });
    expect(other.status).toBe(201);
  });
});
