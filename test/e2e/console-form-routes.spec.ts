import { RouteAudit } from '../../src/platform/access/route-audit';
import { documentOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { revertibleEntry } from '../support/walk';
import { hiddenFields, nextAddress, Visitor } from '../support/visitor';

/* Rules that all console forms must follow. */

const stage = useConsole();

/** The query strings that some form pages need, by the last part of their path. */
const QUERIES: Readonly<Record<string, string>> = {
  status: '?to=archive',
  step: '?step=attach-goals',
};

/** The ids of a webhook and of a delivery that has the status `dead`. */
let webhook: { webhook: number; delivery: number };

async function addWebhook(): Promise<void> {
  const made = await stage.make.of('webhooks', {
    url: 'https://hooks.example.com/',
    events: ['snippet.errors'],
  });
  const test = await stage.client.post(`${made.path}/test`);
  await stage.api.database.transaction((tx) => tx.query(`UPDATE webhook_deliveries SET status = 'dead'`));
  webhook = { webhook: made.id, delivery: test.body.id as number };
}

interface FormRoute {
  path: string;
  address: string;
}

/** The routes of the console forms, with a new experiment in their paths. */
async function formRoutes(): Promise<FormRoute[]> {
  const { id: page } = await stage.make.page();
  await stage.make.goal();
  const variations = [{ name: 'Original' }, { name: 'Variation' }];
  await stage.make.withStatus('running');
  await addWebhook();
  const experiment = await stage.make.experiment({ variations, pages: [page] });
  const entry = await revertibleEntry(stage.client, stage.make);
  return routes().map((path) => addressOf(path, experiment, entry));
}

const routes = (): string[] =>
  stage.api.app
    .get(RouteAudit, { strict: false })
    .routes()
    .filter(({ method, callsApi }) => method === 'POST' && callsApi)
    .map(({ path }) => path);

function addressOf(route: string, { id, variations, environments }: Made, entry: string): FormRoute {
  const params: Record<string, unknown> = {
    project: stage.world.projectId,
    team: stage.world.teamId,
    experiment: id,
    variation: variations[0].id,
    environment: environments[0].id,
    revision: 1,
    entry,
    user: stage.world.people.editor.id,
    ...webhook,
  };
  const path = `/${route}`.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
  return { path, address: path + (QUERIES[path.split('/').at(-1) ?? ''] ?? '') };
}

/** The part of the project state that forms can change. */
async function stateOf(project: string): Promise<unknown> {
  const [{ body: record }, { body: experiments }] = await Promise.all([
    stage.client.get(project),
    stage.client.get(`${project}/experiments`),
  ]);
  return { record, experiments };
}

it('there are forms to test', () => {
  expect(routes().length).toBeGreaterThan(1);
});

it('each form has a page that shows the equivalent curl command', async () => {
  const admin = await stage.admin();
  for (const { path, address } of await formRoutes()) {
    const document = await documentOf(admin, address);
    const form = document.querySelector(`main form[action="${path}"]`);
    expect([address, form?.getAttribute('method')]).toEqual([address, 'post']);
    const command = document.querySelector('.as-curl pre code')?.textContent ?? '';
    expect([address, command]).toEqual([address, expect.stringMatching(/^curl -sS -X [A-Z]+ http/)]);
    const condition = document.querySelector('input[name="if_match"]')?.getAttribute('value');
    expect([address, command.includes('If-Match')]).toEqual([address, condition !== undefined]);
  }
});

it('each form is complete over a compressed connection', async () => {
  const admin = await stage.admin();
  const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const { address } of await formRoutes()) {
    const url = `${stage.api.config.publicUrl}${address}`;
    const answers = await Promise.all(
      [1, 2, 3].map(() => fetch(url, { headers: { cookie, accept: 'text/html' } })),
    );
    for (const answer of answers) {
      expect([address, answer.headers.get('content-encoding')]).toEqual([
        address,
        expect.stringMatching(/gzip|br/),
      ]);
      expect([address, (await answer.text()).slice(-14)]).toEqual([address, '</body></html>']);
    }
  }
});

it('no form is accepted without its CSRF token or with a wrong one, and nothing changes', async () => {
  const admin = await stage.admin();
  for (const { path, address } of await formRoutes()) {
    const before = await stateOf(stage.make.project);
    const fields = hiddenFields((await admin.get(address)).text);
    const { form_token: token, ...others } = fields;
    const tokens: Record<string, string>[] = [{}, { form_token: '' }, { form_token: `${token}x` }];
    for (const wrong of tokens) {
      const { status, text } = await admin.post(path, { ...others, ...wrong });
      expect([path, status]).toEqual([path, 403]);
      expect(text).toContain('This form has expired');
    }
    const crossSite = await admin.post(path, fields, { origin: 'https://evil.example' });
    expect([path, crossSite.status]).toEqual([path, 403]);
    expect(await stateOf(stage.make.project)).toEqual(before);
  }
});

it('each form redirects to the sign-in page if there is no session, and signing in leads back to the form', async () => {
  for (const { path } of await formRoutes()) {
    const nobody = new Visitor(stage.api, { 'x-forwarded-for': nextAddress() });
    const { status, location } = await nobody.post(path, { form_token: 'x' });
    expect([status, location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`]);
  }
});

it('each form is 404 for members of other teams, when loaded and when submitted', async () => {
  const outsider = await stage.visitorOf(stage.world.outsider);
  const fields = hiddenFields((await outsider.get('/')).text);
  for (const { path, address } of await formRoutes()) {
    const before = await stateOf(stage.make.project);
    expect([address, (await outsider.get(address)).status]).toEqual([address, 404]);
    expect([path, (await outsider.post(path, fields)).status]).toEqual([path, 404]);
    expect(await stateOf(stage.make.project)).toEqual(before);
  }
});

it('each form is rejected for viewers, with a list of the required roles', async () => {
  const viewer = await stage.visitorOf(stage.world.people.viewer);
  const admin = await stage.admin();
  for (const { path, address } of await formRoutes()) {
    const before = await stateOf(stage.make.project);
    const { form_token } = hiddenFields((await viewer.get('/')).text);
    const fields = { ...hiddenFields((await admin.get(address)).text), form_token };
    for (const answer of [await viewer.get(address), await viewer.post(path, fields)]) {
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).toMatch(/Your role in the team is viewer\. Only .*admins can do this\./);
    }
    expect(await stateOf(stage.make.project)).toEqual(before);
  }
});

it('no form can be submitted with an API token alone', async () => {
  const { token } = stage.world.people.admin;
  for (const { path } of await formRoutes()) {
    const visitor = new Visitor(stage.api, {
      'x-forwarded-for': nextAddress(),
      authorization: `Bearer ${token}`,
    });
    expect([path, (await visitor.post(path, {})).status]).toEqual([path, 303]);
  }
});
