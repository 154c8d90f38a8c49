import { gzipSync } from 'node:zlib';
import { errorsOf, useScene } from '../support/scene';

/* Bodies that are expensive to parse: they are parsed only for callers who may send them, and have a limited number of parts. */

const MIB = 1024 * 1024;
const GZIP = { 'content-encoding': 'gzip' };
const PARTS = 500_000;
const TOO_MANY = {
  message: 'The body must not contain more than 500,000 objects, lists and fields.',
  code: 'BODY_TOO_LARGE',
};

const scene = useScene();

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

let read: jest.SpyInstance;
beforeEach(() => {
  read = jest.spyOn(JSON, 'parse');
});
afterEach(() => read.mockRestore());

/** Whether a long text has been parsed as JSON. */
const wasParsed = (): boolean => read.mock.calls.some(([text]) => String(text).length >= MIB / 2);

describe('a compressed body of many lists', () => {
  const packed = gzipSync(nested(MIB / 4));
  const definition = (): string => `${scene.project}/definition`;

  async function exhausted(): Promise<string> {
    const person = await scene.api.person(1);
    await person.client.get('/teams');
    return person.token;
  }

  it.each<[status: number, method: 'PUT' | 'POST', path: () => string, token: () => unknown]>([
    [401, 'PUT', definition, () => null],
    [401, 'POST', () => `${scene.project}/goals`, () => null],
    [401, 'POST', () => '//mcp', () => null],
    [404, 'POST', () => '/nothing', () => null],
    [404, 'POST', () => '/nothing', () => scene.world.people.admin.token],
    [429, 'PUT', definition, exhausted],
    [403, 'PUT', definition, () => scene.api.token(scene.world.people.admin.id, 'read')],
  ])('is not parsed for a response with %i to %s', async (status, method, path, tokenOf) => {
    const token = (await tokenOf()) as string | null;
    const answer = await scene.api.as(token).send(method, path(), packed, GZIP);
    expect([answer.status, wasParsed()]).toEqual([status, false]);
  });

  it('is parsed for callers who may send it', async () => {
    const answer = await scene.client.put(definition(), packed, GZIP);
    expect([answer.status, wasParsed()]).toEqual([422, true]);
  });
});

describe('a body with more parts than allowed', () => {
  it.each([
    ['nested lists', () => nested(PARTS + 1)],
    ['lists', () => `[${'[],'.repeat(PARTS)}1]`],
    ['objects', () => `[${'{},'.repeat(PARTS)}1]`],
    ['fields', () => `{"a\\"":1${',"a":1'.repeat(PARTS)}}`],
  ])('is rejected with 413 without being parsed: %s', async (_, body) => {
    const answer = await scene.client.put(`${scene.project}/definition`, gzipSync(body()), GZIP);
    expect([answer.status, answer.body, wasParsed()]).toEqual([413, TOO_MANY, false]);
  });

  it('is accepted up to the limit, and text does not count', async () => {
    const text = '[{:\\"\\\\'.repeat(PARTS / 4);
    const body = `{"list":[${'[],'.repeat(PARTS - 5)}1],"a\\"":"${text}","b":1}`;
    const answer = await scene.client.put(`${scene.project}/definition`, gzipSync(body), GZIP);
    expect(Object.keys(errorsOf(answer))).toEqual(expect.arrayContaining(['list', 'b']));
  });
});

it('a form with more fields than allowed is rejected with 413', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const statuses = [];
  for (const fields of [10_000, 10_001]) {
    const form = Array.from({ length: fields }, () => 'a=').join('&');
    statuses.push((await scene.api.as(null).post('//login', form, type)).status);
  }
  expect(statuses).toEqual([403, 413]);
});
