import type { Answer, Call } from '../support/client';
import { checkAgainstReference } from '../support/reference';
import { useScene } from '../support/scene';

/* Tests of the check that compares every response in the end-to-end tests with the reference. */

const scene = useScene();

const call = (method: string, url: string, { status, headers, body }: Answer): Call => ({
  method,
  url: `/api${url}`,
  status,
  headers,
  body,
});

const check = (candidate: Call): void => checkAgainstReference(scene.api.app, scene.api.config, candidate);

async function shownExperiment(query = ''): Promise<Call> {
  const { path } = await scene.make.ready();
  return call('GET', path + query, await scene.client.get(path + query));
}

type Body = Record<string, unknown>;

const withBody = (original: Call, change: (body: Body) => Body): Call => ({
  ...original,
  body: change(original.body as Body),
});

const changes: [what: string, change: (original: Call) => Call][] = [
  ['an undocumented field', (original) => withBody(original, (body) => ({ ...body, secret: 1 }))],
  ['a missing field', (original) => withBody(original, ({ name: _name, ...body }) => body)],
  [
    'a value of another type',
    (original) => withBody(original, (body) => ({ ...body, traffic_allocation: '100' })),
  ],
  [
    'a value that is not in the enum',
    (original) => withBody(original, (body) => ({ ...body, status: 'started' })),
  ],
  [
    'a time without microseconds',
    (original) => withBody(original, (body) => ({ ...body, created_at: '2026-05-01T09:30:00Z' })),
  ],
  [
    'null in a field that is never null',
    (original) => withBody(original, (body) => ({ ...body, tags: null })),
  ],
  [
    'an undocumented field in a nested object',
    (original) =>
      withBody(original, (body) => ({
        ...body,
        goals: [{ id: 1, name: 'G', api_name: 'g', type: 'click', selector: 'a' }],
      })),
  ],
  [
    'a lite variation that was not requested',
    (original) =>
      withBody(original, (body) => ({
        ...body,
        variations: [{ id: 1, name: 'A', api_name: 'a', is_original: true, traffic_allocation: null }],
      })),
  ],
  ['a list instead of a record', (original) => ({ ...original, body: [original.body] })],
  ['no body', (original) => ({ ...original, body: undefined })],
  ['a body although the status allows none', (original) => ({ ...original, status: 304 })],
  ['an undocumented status', (original) => ({ ...original, status: 201 })],
  ['no ETag', (original) => ({ ...original, headers: { ...original.headers, etag: undefined } })],
  [
    'an undocumented header',
    (original) => ({ ...original, headers: { ...original.headers, 'x-snippet-bytes': '1' } }),
  ],
  [
    'another content type',
    (original) => ({ ...original, headers: { ...original.headers, 'content-type': 'text/html' } }),
  ],
  ['an undocumented operation', (original) => ({ ...original, url: '/api/experiments' })],
  ['an undocumented method', (original) => ({ ...original, method: 'POST' })],
];

describe('a response with', () => {
  it.each(changes)('%s is rejected', async (_, change) => {
    const original = await shownExperiment();
    expect(() => check(original)).not.toThrow();
    expect(() => check(change(original))).toThrow(/^(GET|POST) \/api\/\S+ answered \d+, /);
  });

  it('a subset of fields is accepted only if the request selects fields', async () => {
    const original = await shownExperiment('?fields=id,name');
    expect(() => check(original)).not.toThrow();
    expect(() => check({ ...original, url: original.url.split('?')[0] })).toThrow('required property');
    expect(() => check(withBody(original, (body) => ({ ...body, secret: 1 })))).toThrow(
      'additional properties',
    );
  });

  it('an error with undocumented fields is rejected', async () => {
    const answer = await scene.client.get('/projects/2147483647');
    const original = call('GET', '/projects/2147483647', answer);
    expect(() => check(original)).not.toThrow();
    expect(() => check(withBody(original, (body) => ({ ...body, trace: [] })))).toThrow(
      'additional properties',
    );
  });

  it('any status except 404 and 405 is rejected for an unknown URL', () => {
    const unknown = {
      method: 'GET',
      url: '/api/nothing',
      headers: {},
      body: { message: 'Not Found', code: 'NOT_FOUND' },
    };
    expect(() => check({ ...unknown, status: 404 })).not.toThrow();
    expect(() => check({ ...unknown, status: 405 })).not.toThrow();
    expect(() => check({ ...unknown, status: 200 })).toThrow('no such operation');
    expect(() => check({ ...unknown, status: 400 })).toThrow('no such operation');
  });
});
