import { Made, useScene } from '../support/scene';

const NO_IDS = [
  ...[
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '1e0',
    '0x1',
    ' 1',
    '1 ',
    '%201',
    '1%20',
    '%00',
    '1%00',
    'abc',
    'null',
  ],
  ...[
    'undefined',
    'NaN',
    'true',
    '1,2',
    '1;2',
    "1'",
    '1%27%20OR%201=1',
    '2147483648',
    '4294967297',
    '9007199254740993',
  ],
  ...[
    '99999999999999999999',
    '1'.repeat(2_000),
    'x'.repeat(2_000),
    '%zz',
    '%',
    '%E0%A4%A',
    '%ff',
    '١',
    '%D9%A1',
    '😀',
  ],
  ...['__proto__', 'constructor', '..%2F1', '*', '{experiment}', ':experiment'],
];

describe('an invalid id in a path', () => {
  const scene = useScene();
  let experiment: Made;

  beforeAll(async () => {
    experiment = await scene.make.ready();
  });

  /** All paths that contain an id. */
  const places = (id: string): string[] => [
    `/teams/${id}/projects`,
    `/projects/${id}`,
    `/projects/${id}/experiments`,
    `${scene.project}/experiments/${id}`,
    `${scene.project}/experiments/${id}/variations`,
    `${experiment.path}/variations/${id}`,
    `${scene.project}/audiences/${id}`,
    `${scene.project}/pages/${id}`,
    `${scene.project}/goals/${id}`,
    `${scene.project}/environments/${id}`,
  ];

  it.each(NO_IDS.map((id) => [id.slice(0, 30), id]))('is 404: %s', async (_, id) => {
    for (const path of places(id)) {
      const answer = await scene.client.get(encodeOthers(path));
      expect([path.slice(0, 60), answer.status, answer.body]).toEqual([
        path.slice(0, 60),
        404,
        { message: 'Not Found', code: 'NOT_FOUND' },
      ]);
    }
  });

  it.each(['0', 'abc', '01', '%00', '2147483648', '%zz', 'x'.repeat(2_000)])(
    'is also 404 for writes: %s',
    async (id) => {
      for (const path of [
        `/projects/${id}`,
        `${scene.project}/goals/${id}`,
        `${experiment.path}/variations/${id}`,
      ]) {
        for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
          const answer = await scene.client.send(
            method,
            path,
            method === 'DELETE' ? undefined : { name: '' },
          );
          expect([method, answer.status]).toEqual([method, 404]);
        }
      }
      expect((await scene.client.post(`/projects/${id}/goals`, { name: 'A' })).status).toBe(404);
      const status = await scene.client.patch(`${scene.project}/experiments/${id}/status`, {
        status: 'draft',
      });
      expect(status.status).toBe(404);
      expect((await scene.client.post(`${scene.project}/experiments/${id}/clone`)).status).toBe(404);
    },
  );

  it('can be the id of a record of another type, project or team', async () => {
    const { make, project } = scene.other;
    const theirs = await make.ready();
    const ids = { experiments: theirs.id, pages: theirs.pages[0].id, goals: theirs.goals[0].id };
    for (const [kind, id] of Object.entries(ids)) {
      for (const path of [
        `${project}/${kind}/${id}`,
        `${scene.project}/${kind}/${id}`,
        `${project}/${kind}`,
      ]) {
        const answer = await scene.client.get(path);
        expect([path, answer.status, answer.body]).toEqual([
          path,
          404,
          { message: 'Not Found', code: 'NOT_FOUND' },
        ]);
      }
    }
    expect((await scene.client.post(`${project}/goals`, { name: '' })).status).toBe(404);
  });
});

/** Encodes the characters that an HTTP client cannot send. */
function encodeOthers(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

describe('methods', () => {
  const scene = useScene();
  let experiment: Made;
  let goal: Made;

  beforeAll(async () => {
    experiment = await scene.make.ready();
    goal = await scene.make.goal();
  });

  const ROUTES: [path: () => string, allowed: string[]][] = [
    [() => '/teams', ['GET', 'HEAD']],
    [() => `/teams/${scene.world.teamId}/projects`, ['GET', 'HEAD', 'POST']],
    [() => scene.project, ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']],
    [() => `${scene.project}/experiments`, ['GET', 'HEAD', 'POST']],
    [() => experiment.path, ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']],
    [() => `${experiment.path}/clone`, ['POST']],
    [() => `${experiment.path}/status`, ['PATCH']],
    [() => `${experiment.path}/variations`, ['GET', 'HEAD', 'POST']],
    [
      () => `${experiment.path}/variations/${experiment.variations[0].id}`,
      ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT'],
    ],
    [() => `${scene.project}/goals`, ['GET', 'HEAD', 'POST']],
    [() => goal.path, ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']],
    [() => `${scene.project}/environments`, ['GET', 'HEAD']],
    [() => `${scene.project}/environments/1`, ['GET', 'HEAD']],
  ];
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

  it.each(ROUTES.map(([path, allowed], index) => [index, allowed.join(', '), path, allowed] as const))(
    'are 405 with a list of the supported methods if a path does not support them: route %i, %s',
    async (_, allow, path, allowed) => {
      for (const method of METHODS.filter((name) => !allowed.includes(name))) {
        const answer = await scene.client.send(method, path());
        expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, allow]);
        expect(answer.body).toEqual({
          message: `The ${method} method is not supported here. Supported methods: ${allow}.`,
          code: 'METHOD_NOT_ALLOWED',
        });
      }
    },
  );

  it.each(['/teams', '', '/experiments', '/goals', '/goals?page=1&per_page=1'])(
    'HEAD responds like GET, but without a body: %s',
    async (path) => {
      const address = path === '/teams' ? path : scene.project + path;
      const get = await scene.client.get(address);
      const head = await scene.client.send('HEAD', address);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'x-total-count', 'link', 'content-type', 'content-length']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
    },
  );

  it('HEAD is 404 if GET is', async () => {
    const answer = await scene.client.send('HEAD', `${scene.project}/goals/999999`);
    expect(answer.status).toBe(404);
  });
});

describe('an unknown path', () => {
  const scene = useScene({ TRUST_PROXY: '127.0.0.1' });
  let address = 0;

  it.each([
    '',
    '/',
    '/unknown',
    '/projects',
    '/v1/teams',
    '/teams/1/people',
    '/users',
    '/projects/1/unknown',
    '//teams',
  ])('is 404 with and without a token, for any method: %j', async (path) => {
    // Such requests without a token are rate limited by address.
    const from = { 'x-forwarded-for': `10.1.1.${(address += 1)}` };
    for (const client of [scene.client, scene.api.as(null), scene.api.as('gos_wrong')]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
        const answer = await client.send(method, `//api${path}`, method === 'POST' ? '{' : undefined, from);
        expect([method, answer.status]).toEqual([method, 404]);
        expect(answer.body).toEqual({ message: 'Not Found', code: 'NOT_FOUND' });
      }
    }
  });

  it('can differ from a known path only in letter case', async () => {
    expect((await scene.client.get('/Teams')).status).toBe(404);
  });

  it('does not result from a trailing slash: the response is the same as without it', async () => {
    expect((await scene.client.get('/teams/')).body).toEqual((await scene.client.get('/teams')).body);
  });
});
