import { RouteAudit } from '../../src/platform/access/route-audit';
import { RouteTable } from '../../src/common/http/route-table';
import { buildDocument } from '../../src/platform/reference/reference';
import { TestApi } from '../support/api';
import { readDocument } from '../support/documents';
import { controllerRoutesOf, deliveryRoutesOf, MCP_ROUTE, routesOf } from '../support/routes';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => api.close());

/** The paths of the Segment API and of Jitsu, without their prefixes. */
const SEGMENT = ['b', 't', 'page', 'p', 'identify', 'i', 'group', 'g', 'alias', 'a', 'screen', 's'];
const JITSU = ['track', 'page', 'identify'].flatMap((type) => [type, `s2s/${type}`]);

/** The status of each delivery route without a client key, or with an unknown key in the URL. */
const WITHOUT_KEY: Record<string, number> = {
  ...Object.fromEntries(SEGMENT.map((name) => [`POST /v1/${name}`, 401])),
  ...Object.fromEntries(JITSU.map((name) => [`POST /api/s/${name}`, 401])),
  'GET /api/features/{clientKey}': 404,
  'GET /s/{clientKey}.js': 404,
  'GET /s/{clientKey}/preview/{token}.js': 404,
  'GET /s/{clientKey}/{revision}.js': 404,
  'GET /sub/{clientKey}': 404,
  'GET /v1/visitor': 401,
  'POST /api/eval/{clientKey}': 404,
  'POST /ofrep/v1/evaluate/flags': 401,
  'POST /ofrep/v1/evaluate/flags/{key}': 401,
  'POST /track': 401,
  'POST /v1/batch': 401,
  'POST /v1/decide': 401,
  'POST /v1/track': 401,
};

/** A route as the reference names it, with names for the parameters of script files. */
const documented = (route: string): string =>
  route
    .replace(/^GET \/s\/[^/]+\/preview\/[^/]+$/, 'GET /s/{clientKey}/preview/{token}.js')
    .replace(/^GET \/s\/[^/]+\/[^/]+$/, 'GET /s/{clientKey}/{revision}.js')
    .replace(/^GET \/s\/[^/]+$/, 'GET /s/{clientKey}.js')
    .replace('/goals/:file', '/goals/{goal}.svg')
    .replace(/:(\w+)/g, '{$1}');

const declared = () => api.app.get(RouteAudit, { strict: false }).routes();
const OUTSIDE = /^(health|metrics|share|demo|login|logout|invitation|settings|assets|)(\/|$)/;
const addressOf = ({ path, needsSession }: { path: string; needsSession: boolean }): string =>
  needsSession || OUTSIDE.test(path) ? `/${path}` : `/api/${path}`;
/** Pages and their resources. */
const PAGE =
  /^(?:GET|POST) \/(?:(?:demo|login|logout|invitation|settings|assets|experiments|projects|teams)(?:\/|$)|$)/;

describe('every route', () => {
  it('is known to the audit of access declarations', () => {
    const audited = declared().map((route) => `${route.method} ${addressOf(route)}`);
    expect(audited.sort()).toEqual(controllerRoutesOf(api.app).sort());
  });

  it('declares its access, in its controller or where it is added', () => {
    const { routes } = api.app.get(RouteTable);
    const accessOf: Record<string, Set<unknown>> = {};
    for (const { method, path, access } of routes.filter(({ method }) => method !== 'HEAD')) {
      const route = `${method} ${path.replace(/(?<=.)\/$/, '')}`;
      (accessOf[route] ??= new Set()).add(access ?? 'controller');
    }
    // Parameter names are replaced, because the router merges paths that differ only in these names.
    const shape = (route: string): string => route.replace(/:[^/]+/g, ':id');
    const routesWith = (access: string): string[] =>
      Object.keys(accessOf)
        .filter((route) => accessOf[route]?.has(access) && !/^GET \/docs(\/|$)/.test(route))
        .map(shape)
        .sort();
    const delivery = deliveryRoutesOf(api.app).map(shape).sort();
    const preflights = delivery.filter((route) => route.startsWith('OPTIONS '));
    expect(routesWith('controller')).toEqual(controllerRoutesOf(api.app).map(shape).sort());
    expect(routesWith('client-key')).toEqual(delivery.filter((route) => !preflights.includes(route)));
    expect(routesWith('token')).toEqual([MCP_ROUTE]);
    expect(routesWith('public')).toEqual(preflights);
    expect(Object.values(accessOf).map(({ size }) => size)).toEqual(Object.keys(accessOf).map(() => 1));
  });

  it('outside controllers and delivery belongs to the reference or to MCP', () => {
    const known = new Set([...controllerRoutesOf(api.app), ...deliveryRoutesOf(api.app)]);
    const others = routesOf(api.app).filter((route) => !known.has(route));
    const ofReference = others.filter((route) => route.startsWith('GET /docs'));
    expect(others.filter((route) => !ofReference.includes(route))).toEqual([MCP_ROUTE]);
  });

  it('is public only if it serves health, metrics, assets, secret links, sign-in or the demo', () => {
    const open = declared().filter(({ isPublic }) => isPublic);
    expect(open.map(({ path }) => path).sort()).toEqual([
      'assets/favicon.svg',
      'assets/pages.js',
      'assets/preview.png',
      'demo',
      'demo/*',
      'health/delivery',
      'health/live',
      'health/ready',
      'invitation/:token',
      'invitation/:token',
      'login',
      'login',
      'login/oidc',
      'login/oidc/callback',
      'metrics',
      'share/:token',
      'share/:token/goals/:file',
    ]);
  });

  it('for delivery or shared results is below a path that docs/production.md lists for visitors', () => {
    const [list = ''] =
      /\*\*Separate host for visitors\.\*\*[^]*?\n(?=\n|- )/.exec(readDocument('docs/production.md')) ?? [];
    const listed = [...list.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path);
    const shared = declared().flatMap(({ path }) => (/^(?:share|assets)\//.test(path) ? `/${path}` : []));
    const paths = [...deliveryRoutesOf(api.app).map((route) => route.split(' ')[1] ?? ''), ...shared];
    const used = paths.map((path) => listed.find((each) => path.startsWith(each)) ?? path);
    expect([...new Set(used)].sort()).toEqual(listed.sort());
  });

  it('for delivery requires a client key', async () => {
    const routes = deliveryRoutesOf(api.app).filter((route) => !route.startsWith('OPTIONS '));
    expect(routes.map(documented).sort()).toEqual(Object.keys(WITHOUT_KEY).sort());
    for (const route of routes) {
      const [method, path] = route.replace(/:[^/]+/g, 'x.js').split(' ') as [Method, string];
      const body = method === 'GET' ? undefined : { batch: [] };
      const { status } = await api.as(null).send(method, `/${path}`, body);
      expect([route, status]).toEqual([route, WITHOUT_KEY[documented(route)]]);
    }
  });

  it('declares its access if it is not public', () => {
    const undecided = declared().filter(
      ({ isPublic, needsSession, access }) => !isPublic && !needsSession && access === null,
    );
    expect(undecided).toEqual([]);
  });

  it('that is a page for signed-in users redirects other users to sign-in, even with a token', async () => {
    const pages = declared().filter(({ needsSession }) => needsSession);
    const { token } = await api.person();
    for (const { method, path } of pages) {
      const client = api.as(token);
      const { status, headers } = await client.send(method as Method, `//${path.replace(/:\w+/g, '1')}`);
      expect([path, status]).toEqual([path, 303]);
      expect([headers.location, headers['x-ratelimit-limit']]).toEqual([
        expect.stringMatching(/^\/login/),
        undefined,
      ]);
    }
    // Console forms are tested in another spec.
    const forms = new Set(pages.filter(({ callsApi }) => callsApi).map(({ path }) => path));
    const others = pages.filter(({ path }) => !forms.has(path));
    expect(others.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET ',
      'GET experiments',
      'GET projects/:project',
      'GET projects/:project/audit',
      'GET projects/:project/definitions',
      'GET projects/:project/experiments/:experiment',
      'GET projects/:project/experiments/:experiment/code',
      'GET projects/:project/experiments/:experiment/goals/:goal/series',
      'GET projects/:project/live-events',
      'GET projects/:project/plan',
      'GET projects/:project/publications',
      'GET projects/:project/webhooks',
      'GET projects/:project/webhooks/:webhook',
      'GET settings/api-tokens',
      'GET settings/api-tokens/:id/revoke',
      'GET settings/password',
      'GET settings/sessions',
      'GET teams/:team/members',
      'POST logout',
      'POST settings/api-tokens',
      'POST settings/api-tokens/:id/revoke',
      'POST settings/password',
      'POST settings/sessions/:id/end',
      'POST settings/sessions/end-others',
    ]);
  });

  it('requires a token and is rate limited if it is not public', async () => {
    const closed = controllerRoutesOf(api.app).filter((route) => route.includes(' /api/'));
    const outcomes: Record<string, unknown> = {};
    for (const [index, route] of closed.entries()) {
      const [method, path] = route.replace(/:\w+/g, '1').split(' ') as [Method, string];
      const from = { 'x-forwarded-for': `10.1.0.${index}` };
      const { status, body, headers } = await api.as(null).send(method, `/${path}`, undefined, from);
      const {
        'www-authenticate': challenge,
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': left,
      } = headers;
      outcomes[route] = [status, body, challenge, limit, left];
    }
    const expected = [401, { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' }, 'Bearer', '60', '59'];
    expect(outcomes).toEqual(Object.fromEntries(closed.map((route) => [route, expected])));
    expect(closed.length).toBeGreaterThan(40);
  });

  it('also requires a token with HEAD', async () => {
    const { status, headers } = await api.as(null).send('HEAD', '/teams');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('is an operation in the OpenAPI document, which has no other operations', () => {
    const { paths } = buildDocument(api.app, api.config);
    const methods = ['get', 'post', 'put', 'patch', 'delete'];
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => methods.includes(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const delivery = deliveryRoutesOf(api.app).filter((route) => !route.startsWith('OPTIONS '));
    const operations = [...controllerRoutesOf(api.app), ...delivery].filter((route) => !PAGE.test(route));
    // One route serves both the plot of a goal and, without `.svg`, the page of the goal.
    const goalPage = 'GET /share/{token}/goals/{goal}';
    expect(described.sort()).toEqual([...operations.map(documented), goalPage].sort());
  });
});
