import { TrashService } from '../../src/projects/trash/trash.service';
import { inHours } from '../support/schedules';
import { anotherProject, errorsOf, Made, refusedPaths, useScene } from '../support/scene';

/* Scheduled starts and ends of experiments. The status changes are tested in scheduled-moves.spec.ts. */

const scene = useScene();

const read = async ({ path }: { path: string }): Promise<Made> => (await scene.client.get(path)).body as Made;

const schedule = (experiment: Made, fields: object) => scene.client.patch(experiment.path, fields);

const NONE = { starts_at: null, ends_at: null, schedule_error: null };

describe('a schedule', () => {
  it('can be set, shown, sent back and cleared', async () => {
    const experiment = await scene.make.experiment();
    expect(experiment).toMatchObject(NONE);
    const moments = { starts_at: inHours(1), ends_at: inHours(2) };
    const answer = await schedule(experiment, moments);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(moments)]);
    const before = await scene.client.get(experiment.path);
    const after = await scene.client.put(experiment.path, before.body);
    expect([after.status, after.body, after.headers.etag]).toEqual([200, before.body, before.headers.etag]);
    expect((await schedule(experiment, { starts_at: null })).body).toMatchObject({ starts_at: null });
    expect((await schedule(experiment, { ends_at: null })).body).toMatchObject(NONE);
  });

  it.each([
    ['2099-05-01T09:30:00Z', '2099-05-01T09:30:00.000000Z'],
    ['2099-05-01T09:30:00.123456Z', '2099-05-01T09:30:00.123456Z'],
    ['2099-05-01T09:30:00+02:00', '2099-05-01T07:30:00.000000Z'],
    ['2099-05-01T09:30:00', '2099-05-01T09:30:00.000000Z'],
    ['2099-05-01', '2099-05-01T00:00:00.000000Z'],
  ])('accepts %s', async (sent, shown) => {
    const experiment = await scene.make.experiment({ starts_at: sent });
    expect(experiment.starts_at).toBe(shown);
    expect((await schedule(experiment, { starts_at: sent })).headers.etag).toBe(
      (await scene.client.get(experiment.path)).headers.etag,
    );
  });

  it.each(['tomorrow', '2099-02-30T00:00:00Z', '2099-05-01T25:00:00Z', '', 1, true, {}])(
    'rejects %p',
    async (value) => {
      const experiment = await scene.make.experiment();
      const message = /^The (starts|ends) at must be a time such as 2026-05-01T09:30:00Z\.$/;
      const answer = await schedule(experiment, { starts_at: value, ends_at: value });
      expect(errorsOf(answer)).toEqual({
        starts_at: [expect.stringMatching(message)],
        ends_at: [expect.stringMatching(message)],
      });
    },
  );

  it('rejects times outside the supported range', async () => {
    const experiment = await scene.make.experiment();
    const answer = await schedule(experiment, { ends_at: '9999-12-31T23:59:59Z' });
    expect(errorsOf(answer)).toEqual({ ends_at: ['The ends at must be between the years 1684 and 2255.'] });
  });

  it('starts in the future and ends after its start', async () => {
    const experiment = await scene.make.experiment();
    const refused = async (fields: object): Promise<string[]> =>
      refusedPaths(await schedule(experiment, fields));
    expect(await refused({ starts_at: inHours(-1) })).toEqual(['starts_at']);
    expect(await refused({ ends_at: inHours(-1) })).toEqual(['ends_at']);
    expect(await refused({ starts_at: inHours(-2), ends_at: inHours(-1) })).toEqual(['ends_at', 'starts_at']);
    expect(await refused({ starts_at: inHours(2), ends_at: inHours(1) })).toEqual(['ends_at']);
    const moment = inHours(1);
    expect(await refused({ starts_at: moment, ends_at: moment })).toEqual(['ends_at']);
    await schedule(experiment, { starts_at: inHours(2) });
    expect(await refused({ ends_at: inHours(1) })).toEqual(['ends_at']);
    await schedule(experiment, { ends_at: inHours(3) });
    expect(await refused({ starts_at: inHours(4) })).toEqual(['ends_at']);
    const created = await scene.client.post(`${scene.project}/experiments`, {
      name: 'Late',
      starts_at: inHours(-1),
      ends_at: inHours(-2),
      schedule_error: 'None',
    });
    expect(refusedPaths(created)).toEqual(['ends_at', 'schedule_error', 'starts_at']);
  });

  it('is rejected if it is in the past, and the error has the server time', async () => {
    const answer = await schedule(await scene.make.experiment(), { starts_at: '2020-01-01T10:00:00Z' });
    expect(errorsOf(answer)).toEqual({
      starts_at: [
        expect.stringMatching(/^The start must be in the future\. The server time is 20\d\d-\S+Z\.$/),
      ],
    });
  });

  it('requires permission to start the experiment', async () => {
    const { publisher, editor, viewer } = scene.world.people;
    const experiment = await scene.make.experiment();
    const moments = { starts_at: inHours(1), ends_at: inHours(2) };
    const forbidden = { code: 'ROLE_INSUFFICIENT', role: 'editor', permission: 'experiments:run' };
    for (const fields of [moments, { ends_at: moments.ends_at }, { starts_at: 'never' }]) {
      const answer = await editor.client.patch(experiment.path, fields);
      expect([answer.status, answer.body]).toEqual([403, expect.objectContaining(forbidden)]);
    }
    const body = { name: 'New', ...moments };
    expect((await editor.client.post(`${scene.project}/experiments`, body)).status).toBe(403);
    expect((await viewer.client.patch(experiment.path, moments)).status).toBe(403);
    expect((await publisher.client.patch(experiment.path, moments)).status).toBe(200);
    expect((await editor.client.patch(experiment.path, { starts_at: null })).status).toBe(403);
    const same = { ...(await read(experiment)), path: undefined, name: 'Renamed' };
    const renamed = await editor.client.put(experiment.path, same);
    expect([renamed.status, renamed.body]).toEqual([
      200,
      expect.objectContaining({ name: 'Renamed', ...moments }),
    ]);
  });

  it('is recorded in the history with the user, unless it is a dry run', async () => {
    const experiment = await scene.make.experiment();
    const starts_at = inHours(1);
    const dry = await scene.client.patch(`${experiment.path}?dry_run=1`, { starts_at });
    expect([dry.status, dry.body.starts_at]).toEqual([200, starts_at]);
    expect(await read(experiment)).toMatchObject(NONE);
    await schedule(experiment, { starts_at });
    const [entry] = (await scene.client.get(`${scene.project}/audit?per_page=1`)).body as unknown[];
    expect(entry).toMatchObject({
      action: 'update',
      actor: { type: 'token', user_id: scene.world.people.admin.id },
      item_id: experiment.id,
    });
    expect(entry).toHaveProperty('before', { starts_at: null });
    expect(entry).toHaveProperty('after', { starts_at });
  });
});

describe('a status change', () => {
  const moments = (): object => ({ starts_at: inHours(1), ends_at: inHours(2) });

  it('clears only the scheduled start when the experiment is started', async () => {
    const { ends_at, ...experiment } = await scene.make.ready(moments());
    const started = await scene.make.move(experiment, 'running');
    expect(started).toMatchObject({ starts_at: null, ends_at });
    expect(refusedPaths(await schedule(started, { starts_at: inHours(1) }))).toEqual(['starts_at']);
    const later = inHours(3);
    expect((await schedule(started, { ends_at: later })).body).toMatchObject({ ends_at: later });
    expect(await scene.make.move(started, 'pause')).toMatchObject({ ends_at: later });
    const resumed = await schedule(started, { starts_at: inHours(1) });
    expect([resumed.status, resumed.body.ends_at]).toEqual([200, later]);
  });

  it('to or from preview keeps the schedule', async () => {
    const { starts_at, ends_at, ...experiment } = await scene.make.ready(moments());
    for (const status of ['preview', 'draft']) {
      expect(await scene.make.move(experiment as Made, status)).toMatchObject({ starts_at, ends_at });
    }
  });

  it('clears the complete schedule when the experiment is archived', async () => {
    const experiment = await scene.make.ready(moments());
    const archived = await scene.make.move(experiment, 'archive');
    expect(archived).toMatchObject(NONE);
    expect(refusedPaths(await schedule(archived, { ends_at: inHours(1) }))).toEqual(['status']);
    expect(await scene.make.move(archived, 'draft')).toMatchObject(NONE);
  });
});

it('a clone has no schedule', async () => {
  const experiment = await scene.make.ready({ starts_at: inHours(1), ends_at: inHours(2) });
  expect((await scene.client.post(`${experiment.path}/clone`)).body).toMatchObject(NONE);
});

describe('a record restored from the trash', () => {
  const restore = (type: 'project' | 'experiment', id: number) =>
    scene.api.app.get(TrashService, { strict: false }).restore({ type, id }, 'admin');

  it('has no schedule: an experiment', async () => {
    const experiment = await scene.make.ready({ starts_at: inHours(1), ends_at: inHours(2) });
    await scene.client.delete(experiment.path);
    expect(await restore('experiment', experiment.id)).toBeNull();
    expect(await read(experiment)).toMatchObject(NONE);
  });

  it('has no schedule: a project', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.ready({ starts_at: inHours(1), ends_at: inHours(2) });
    const list = `${make.project}/experiments`;
    const { etag } = (await scene.client.get(list)).headers;
    await scene.client.delete(make.project);
    expect(await restore('project', make.projectId)).toBeNull();
    expect(await read(experiment)).toMatchObject(NONE);
    expect((await scene.client.get(list)).headers.etag).not.toBe(etag);
  });
});
