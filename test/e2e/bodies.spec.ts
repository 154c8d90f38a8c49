import { deflateSync, gzipSync } from 'node:zlib';
import { hasDescription } from '../support/resources';
import { errorsOf, KINDS, Made, refusedPaths, useScene } from '../support/scene';

const ALL = [...KINDS, 'variations'];
const MIB = 1024 * 1024;
const TOO_LARGE = { message: 'The body must not be larger than 1 MiB.', code: 'BODY_TOO_LARGE' };

const DESCRIPTION_TYPOS = [
  ['descripton', 'description'],
  ['desciption', 'description'],
];

const scene = useScene();

describe.each(ALL)('request bodies of %s', (kind) => {
  let collection: string;
  let made: Made;

  beforeAll(async () => {
    const parent = await scene.make.experiment();
    collection = kind === 'variations' ? `${parent.path}/variations` : `${scene.project}/${kind}`;
    made = await scene.make.make(collection, { name: 'Kept' });
  });

  afterEach(async () => {
    const { path, ...before } = made;
    expect((await scene.client.get(path)).body).toEqual(before);
  });

  /** The responses to creating a record and to both kinds of update. */
  const answersTo = async (body: unknown, headers: Record<string, string> = {}) => [
    await scene.client.post(collection, body, headers),
    await scene.client.put(made.path, body, headers),
    await scene.client.patch(made.path, body, headers),
  ];

  it('are rejected with unknown fields, each of which is named', async () => {
    for (const answer of await answersTo({ name: 'A', foo: 1, Bar: null, '': 2 })) {
      expect(refusedPaths(answer)).toEqual(['', 'Bar', 'foo']);
    }
  });

  it.each([
    ['nmae', 'name'],
    ['Name', 'name'],
    ['names', 'name'],
    ...(hasDescription(kind) ? DESCRIPTION_TYPOS : []),
  ])('are rejected with the field %s, suggesting %s', async (typo, meant) => {
    for (const answer of await answersTo({ name: 'A', [typo]: 'x' })) {
      const errors = errorsOf(answer);
      expect(Object.keys(errors)).toEqual([typo]);
      expect(errors[typo][0]).toContain(typo);
      expect(errors[typo][0]).toContain(`Did you mean ${meant}?`);
    }
  });

  it('are rejected without a suggestion if no field is similar', async () => {
    for (const answer of await answersTo({ name: 'A', zzzzzzzz: 'x' })) {
      expect(errorsOf(answer).zzzzzzzz[0]).not.toContain('Did you mean');
    }
  });

  it('are rejected with values that are nested too deeply, with one error per field', async () => {
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    const message = 'The value is nested deeper than 32 levels.';
    for (const answer of await answersTo(`{"name": ${deep}, "foo": ${deep}}`)) {
      expect(errorsOf(answer)).toEqual({ name: [message], foo: [message] });
    }
  });

  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'then',
  ])('are rejected with a field named %s, like any unknown field', async (field) => {
    for (const value of ['1', '{}', '{"prototype": {"polluted": true}}', '{"polluted": true}']) {
      for (const answer of await answersTo(`{"name": "A", "${field}": ${value}}`)) {
        expect(refusedPaths(answer)).toEqual([field]);
      }
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a list of objects', '[{"name": "A"}]'],
    ['text', '"name"'],
    ['a number', '1'],
    ['true', 'true'],
  ])('are rejected with 422 when they are %s', async (_, body) => {
    for (const answer of await answersTo(body)) {
      expect(Object.values(errorsOf(answer)).flat()).toHaveLength(1);
    }
  });

  it.each([
    ['an unclosed object', '{"name": "A"'],
    ['single quotes', "{'name': 'A'}"],
    ['a trailing comma', '{"name": "A",}'],
    ['a comment', '{"name": "A"} // yes'],
    ['two objects', '{"name": "A"}{}'],
    ['form data', 'name=A'],
    ['NaN', '{"name": NaN}'],
    ['a line break in a text', '{"name": "A\nB"}'],
    ['only spaces', '  '],
    ['100,000 open lists', '['.repeat(100_000)],
  ])('are rejected with 400 if they are not JSON: %s', async (_, body) => {
    for (const answer of await answersTo(body)) {
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['message', 'code']]);
    }
  });

  it.each([
    ['in ISO 8859-1', Buffer.from('{"name": "Grün"}', 'latin1'), 'The body is not valid UTF-8.'],
    ['in UTF-16', Buffer.from('\u{feff}{"name": "A"}', 'utf16le'), 'The body is not valid UTF-8.'],
    [
      'with a byte order mark',
      Buffer.from('\u{feff}{"name": "A"}'),
      'The body begins with a byte order mark (BOM). Send it without one.',
    ],
  ])('are rejected with 400 %s, with an explanation', async (_, body, message) => {
    for (const answer of await answersTo(body)) {
      expect([answer.status, answer.body]).toEqual([400, { message, code: 'BODY_NOT_JSON' }]);
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/merge-patch+json',
    'application/json5',
    'application/jsonp',
    'text/json',
  ])('are rejected with 415 as %s', async (type) => {
    for (const answer of await answersTo('{"name": "A"}', { 'content-type': type })) {
      expect([answer.status, answer.body]).toEqual([
        415,
        { message: 'The Content-Type must be application/json.', code: 'UNSUPPORTED_MEDIA_TYPE' },
      ]);
    }
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('are read as %s', async (type) => {
    const answer = await scene.client.post(collection, { name: 'Typed' }, { 'content-type': type });
    expect(answer.status).toBe(201);
  });

  it('can have 1 MiB, but not a byte more', async () => {
    const padded = (bytes: number, body: string): string => `${' '.repeat(bytes - body.length)}${body}`;
    expect((await scene.client.post(collection, padded(MIB, '{"name": "Large"}'))).status).toBe(201);
    expect((await scene.client.put(made.path, padded(MIB, '{}'))).status).toBe(200);
    for (const answer of await answersTo(padded(MIB + 1, '{"name": "A"}'))) {
      expect([answer.status, answer.body]).toEqual([413, TOO_LARGE]);
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['identity', Buffer.from],
  ])('are read in the content coding %s', async (coding, pack: (text: string) => Buffer) => {
    const headers = { 'content-encoding': coding };
    const posted = await scene.client.post(collection, pack('{"name": "Packed"}'), headers);
    expect([posted.status, posted.body.name]).toEqual([201, 'Packed']);
    expect((await scene.client.patch(made.path, pack('{}'), headers)).status).toBe(200);
  });

  it.each(['br', 'zstd', 'gzip, gzip'])(
    'are rejected with 415 in the content coding "%s"',
    async (coding) => {
      for (const answer of await answersTo('{"name": "A"}', { 'content-encoding': coding })) {
        expect([answer.status, answer.body]).toEqual([
          415,
          { message: 'The Content-Encoding must be gzip or deflate.', code: 'UNSUPPORTED_MEDIA_TYPE' },
        ]);
      }
    },
  );

  it('are rejected with 400 if their content coding is not the declared one', async () => {
    for (const answer of await answersTo('{"name": "A"}', { 'content-encoding': 'gzip' })) {
      expect([answer.status, answer.body.code]).toEqual([400, 'CONTENT_ENCODING_MISMATCH']);
    }
  });

  it('are rejected with 413 if they exceed 1 MiB after decompression', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await scene.client.put(made.path, gzipSync(' '.repeat(MIB - 2) + '{}'), headers)).status).toBe(
      200,
    );
    for (const answer of await answersTo(gzipSync(' '.repeat(MIB - 1) + '{}'), headers)) {
      expect([answer.status, answer.body]).toEqual([413, TOO_LARGE]);
    }
  });

  it('can be empty if no field is required', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[]) {
      expect((await scene.client.put(made.path, undefined, headers)).status).toBe(200);
      expect((await scene.client.patch(made.path, '', headers)).status).toBe(200);
      expect(refusedPaths(await scene.client.post(collection, undefined, headers))).toEqual(['name']);
    }
  });

  it('use the last of duplicate keys', async () => {
    const answer = await scene.client.post(collection, '{"name": "First", "name": "Last"}');
    expect([answer.status, answer.body.name]).toEqual([201, 'Last']);
  });

  it.each([
    ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['groups of conditions', '["and",'.repeat(50_000) + '1' + ']'.repeat(50_000)],
  ])('are rejected with %s nested a hundred thousand levels deep, in any field', async (_, value) => {
    const { path: _path, ...fields } = made;
    for (const field of [...Object.keys(fields), 'unknown']) {
      const answer = await scene.client.put(made.path, `{"${field}": ${value}}`);
      expect([field, refusedPaths(answer)]).toEqual([field, [field]]);
    }
    for (const answer of await answersTo(value)) {
      expect(answer.status).toBe(422);
    }
  });

  it('are rejected with thousands of unknown fields, or with a very long one', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, index]));
    const answer = await scene.client.post(collection, { name: 'A', ...many });
    expect(Object.keys(errorsOf(answer))).toHaveLength(5_000);
    const long = 'f'.repeat(100_000);
    const [message] = errorsOf(await scene.client.put(made.path, { [long]: 1 }))[long];
    expect(message.length).toBeLessThan(1_000);
  });

  it('with only invalid fields are rejected with an error for every field', async () => {
    const { path: _path, ...fields } = made;
    const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, 0.123456]));
    for (const answer of await answersTo(wrong)) {
      expect(refusedPaths(answer)).toEqual(Object.keys(fields).sort());
    }
  });
});
