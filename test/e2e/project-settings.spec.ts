import { ProjectsService } from '../../src/projects/projects.service';
import { errorsOf, refusedPaths, TIMESTAMP, useScene } from '../support/scene';

const scene = useScene();
const path = (): string => `${scene.project}/settings`;
const patch = (body: unknown, headers: Record<string, string> = {}) =>
  scene.client.patch(path(), body, headers);

const tagOf = async (address: string): Promise<string> =>
  (await scene.client.get(address)).headers.etag ?? '';

describe('project settings', () => {
  it('have every field, with default values in a new project', async () => {
    const { status, body } = await scene.client.get(path());
    expect([status, body]).toEqual([
      200,
      {
        id: scene.world.projectId,
        statistics_method: 'sequential',
        correction: 'none',
        uplift_prior: null,
        currency: null,
        event_retention_days: null,
        allowed_origins: null,
        events_per_minute: null,
        push_to: [],
        share_by_default: true,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: body.created_at,
      },
    ]);
  });

  it('can be changed one by one, and cleared with null', async () => {
    const before = (await scene.client.get(path())).body;
    const origins = ['https://shop.example.com', 'http://localhost:8080'];
    const changed = await patch({
      allowed_origins: origins,
      events_per_minute: 500,
      correction: 'holm',
      uplift_prior: 12.5,
      currency: 'EUR',
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...before,
        allowed_origins: origins,
        events_per_minute: 500,
        correction: 'holm',
        uplift_prior: 12.5,
        currency: 'EUR',
        updated_at: expect.stringMatching(TIMESTAMP),
      },
    ]);
    expect(changed.body.updated_at > before.updated_at).toBe(true);
    expect((await scene.client.get(path())).body).toEqual(changed.body);
    const cleared = await patch({
      allowed_origins: null,
      events_per_minute: null,
      correction: 'none',
      uplift_prior: null,
      currency: null,
      event_retention_days: null,
    });
    expect(cleared.body).toEqual({ ...before, updated_at: expect.stringMatching(TIMESTAMP) });
  });

  it('can be sent back unchanged, without effect', async () => {
    await patch({ allowed_origins: ['https://a.example'], events_per_minute: 9 });
    const { body, headers } = await scene.client.get(path());
    const answer = await patch(body);
    expect([answer.status, answer.body, answer.headers.etag]).toEqual([200, body, headers.etag]);
    expect(refusedPaths(await patch({ ...body, id: 99, updated_at: '2020-01-01T00:00:00.000000Z' }))).toEqual(
      ['id', 'updated_at'],
    );
  });

  it.each([
    [{ alowed_origins: [] }, ['alowed_origins']],
    [{ events_per_minute: 0 }, ['events_per_minute']],
    [{ events_per_minute: 1.5 }, ['events_per_minute']],
    [{ statistics_method: 'best' }, ['statistics_method']],
    [{ correction: null }, ['correction']],
    [{ currency: 'eur' }, ['currency']],
    [{ currency: 'EURO' }, ['currency']],
    [{ currency: 'QQQ' }, ['currency']],
    [{ currency: 978 }, ['currency']],
    [{ uplift_prior: 0 }, ['uplift_prior']],
    [{ uplift_prior: 1_000.01 }, ['uplift_prior']],
    [{ uplift_prior: '30' }, ['uplift_prior']],
    [{ allowed_origins: 'https://a.example' }, ['allowed_origins']],
    [
      {
        allowed_origins: [
          'https://good.example',
          'https://shop.example.com/',
          'https://Shop.example.com',
          'https://shop.example.com:443',
          'shop.example.com',
          'ftp://shop.example.com',
          'https://user@shop.example.com',
          '*',
          'null',
          5,
          'https://good.example',
        ],
      },
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((index) => `allowed_origins.${index}`),
    ],
    [
      { allowed_origins: [...Array(101).keys()].map((number) => `https://site-${number}.example`) },
      ['allowed_origins'],
    ],
  ])('reject %j', async (body, paths) => {
    expect(refusedPaths(await patch(body)).sort()).toEqual([...paths].sort());
  });

  it('describe the format of an origin in the error', async () => {
    expect(errorsOf(await patch({ allowed_origins: ['https://Shop.example.com:443/'] }))).toEqual({
      'allowed_origins.0': ['The origin must be written as browsers send it: https://shop.example.com.'],
    });
  });

  it("have their own ETag, separate from the project's", async () => {
    const [own, project] = [await tagOf(path()), await tagOf(scene.project)];
    const list = await tagOf(`/teams/${scene.world.teamId}/projects`);
    expect((await scene.client.get(path(), { 'if-none-match': own })).status).toBe(304);
    const changed = await patch({ events_per_minute: 77 }, { 'if-match': own });
    expect([changed.status, changed.headers.etag]).toEqual([200, await tagOf(path())]);
    expect((await patch({ events_per_minute: 78 }, { 'if-match': own })).status).toBe(412);
    expect([await tagOf(scene.project), await tagOf(`/teams/${scene.world.teamId}/projects`)]).toEqual([
      project,
      list,
    ]);
    await scene.client.patch(scene.project, { name: 'Renamed' });
    expect(await tagOf(path())).toBe(changed.headers.etag);
  });

  it("change the project's ETag if the project record contains them, and reflect changes by the admin command", async () => {
    const [own, project] = [await tagOf(path()), await tagOf(scene.project)];
    expect((await patch({ statistics_method: 'bayesian' })).status).toBe(200);
    const { body, headers } = await scene.client.get(scene.project);
    expect([body.statistics_method, headers.etag === project]).toEqual(['bayesian', false]);
    const between = await tagOf(path());
    expect(between).not.toBe(own);
    const projects = scene.api.app.get(ProjectsService, { strict: false });
    const method = { statistics_method: 'sequential', statistics_correction: 'holm' } as const;
    await projects.setMethod(scene.world.projectId, method, 'admin');
    const shown = await scene.client.get(path());
    expect([shown.body.statistics_method, shown.body.correction]).toEqual(['sequential', 'holm']);
    expect(shown.headers.etag).not.toBe(between);
  });

  it('are not stored by a dry run', async () => {
    const before = await scene.client.get(path());
    const tried = await scene.client.patch(`${path()}?dry_run=1`, { events_per_minute: 1 });
    expect([tried.status, tried.body.events_per_minute, tried.headers['x-dry-run']]).toEqual([
      200,
      1,
      'true',
    ]);
    expect((await scene.client.get(path())).body).toEqual(before.body);
  });

  it('are recorded in the audit log', async () => {
    await patch({ events_per_minute: 4_321 });
    const [entry]: Record<string, string>[] = await scene.api.database.read.query(
      'SELECT action, item_type, `after` FROM audit_entries ORDER BY id DESC LIMIT 1',
    );
    expect([entry.action, entry.item_type, JSON.parse(entry.after)]).toEqual([
      'update',
      'project_settings',
      { events_per_minute: 4_321, updated_at: expect.stringMatching(TIMESTAMP) },
    ]);
  });

  it('do not support PUT', async () => {
    const { status, headers } = await scene.client.put(path(), {});
    expect([status, headers.allow]).toEqual([405, expect.stringContaining('PATCH')]);
  });
});
