import { parseHTML } from 'linkedom';
import { ROLES } from '../../src/platform/access/roles';
import { TeamsService } from '../../src/teams/teams.service';
import type { Made } from '../support/scene';
import { signedIn, signer, Visitor } from '../support/visitor';
import { documentOf, textsOf, useConsole } from '../support/console';

/* Access to project and experiment pages. */

const stage = useConsole();
let admin: Visitor;
const teams = (): TeamsService => stage.api.app.get(TeamsService, { strict: false });
beforeAll(async () => {
  admin = await stage.admin();
});

describe('access to a project and its experiments', () => {
  const paths = (experiment: Made): string[] => [
    stage.world.project,
    experiment.path,
    `${stage.world.project}/live-events`,
  ];

  it('requires membership in its team, in any role', async () => {
    const experiment = await stage.make.experiment({ name: 'Secret plan' });
    const outcomes: Record<string, number[]> = {};
    const others = { outsider: stage.world.outsider, 'in no team': await stage.api.person() };
    for (const [name, person] of Object.entries({ ...stage.world.people, ...others })) {
      const visitor = await stage.visitorOf(person);
      const answers = await Promise.all(paths(experiment).map((path) => visitor.get(path)));
      outcomes[name] = answers.map(({ status }) => status);
      const home = (await visitor.get('/')).text;
      expect([name, home.includes(`href="${stage.world.project}"`)]).toEqual([
        name,
        name in stage.world.people,
      ]);
      if (!(name in stage.world.people)) {
        expect(answers.map(({ text }) => /Secret plan|Shop/.test(text))).toEqual([false, false, false]);
        expect(answers[1].text).toContain('Page not found');
      }
    }
    const seen = Object.fromEntries(ROLES.map((role) => [role, [200, 200, 200]]));
    expect(outcomes).toEqual({ ...seen, outsider: [404, 404, 404], 'in no team': [404, 404, 404] });
  });

  it('is checked on every page', async () => {
    const experiment = await stage.make.experiment();
    const { visitor, person } = await signedIn(stage.api);
    const seen = async (): Promise<number[]> =>
      (await Promise.all(paths(experiment).map((path) => visitor.get(path)))).map(({ status }) => status);
    expect(await seen()).toEqual([404, 404, 404]);
    await stage.api.join(stage.world.teamId, person, 'viewer');
    expect(await seen()).toEqual([200, 200, 200]);
    expect((await visitor.get(experiment.path)).text).toContain('Your role in the team is viewer.');
    await teams().setRole(stage.world.teamId, person.id, 'publisher', 'admin');
    expect((await visitor.get(experiment.path)).text).not.toContain('Your role in the team is');
    await teams().removeMember(stage.world.teamId, person.id, 'admin');
    expect(await seen()).toEqual([404, 404, 404]);
    expect((await visitor.get('/')).text).toContain('You are not in a team yet');
  });

  it('is lost when the session ends', async () => {
    const { visitor, person } = await signedIn(stage.api);
    await stage.api.join(stage.world.teamId, person, 'viewer');
    expect((await visitor.get(stage.world.project)).status).toBe(200);
    await visitor.submit('/', {}, '/logout');
    const { status, location } = await visitor.get(`${stage.world.project}?page=2`);
    expect([status, location]).toEqual([
      303,
      `/login?next=${encodeURIComponent(`${stage.world.project}?page=2`)}`,
    ]);
  });

  it('is 404 for deleted records, other projects and invalid ids', async () => {
    const [deleted, kept] = [await stage.make.experiment(), await stage.make.experiment()];
    await stage.client.delete(deleted.path);
    const other = await stage.project('Other');
    const foreign = kept.path.replace(stage.world.project, other.project);
    const gone = await stage.project('Gone');
    const lost = await gone.experiment();
    await stage.client.delete(gone.project);
    const none = ['0', 'x', '-1', '1.5', '99999999999', '%27', '999999'];
    const addresses = [
      deleted.path,
      foreign,
      gone.project,
      lost.path,
      ...none.map((id) => `/projects/${id}`),
      ...none.map((id) => `${stage.world.project}/experiments/${id}`),
    ];
    for (const address of addresses) {
      const { status, text } = await admin.get(address);
      expect([address, status]).toEqual([address, 404]);
      expect(text).toContain('Page not found');
    }
    expect((await documentOf(admin, '/')).body.textContent).not.toContain('Gone');
    expect((await admin.get(stage.world.project)).text).not.toContain(`href="${deleted.path}"`);
  });

  it('does not change the JSON responses of the API', async () => {
    const { status, headers } = await stage.client.get(stage.world.project);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const posted = await admin.post(stage.world.project, {});
    expect(posted.status).toBe(405);
  });
});

it('the first sign-in leads to the start page', async () => {
  const visitor = new Visitor(stage.api, { 'x-forwarded-for': '10.9.0.1' });
  expect((await visitor.get('/')).location).toBe('/login?next=%2F');
  expect((await visitor.signIn(await signer(stage.api))).location).toBe('/');
  const links = parseHTML((await visitor.get('/settings/password')).text).document;
  const sections = ['Experiments', 'Search', 'Settings', 'API'];
  expect(textsOf(links, '[aria-label="Gosset"] a')).toEqual(sections);
});
