import { behindAnotherWrite } from '../support/lock';
import { Made, useScene } from '../support/scene';

const scene = useScene();

const shown = async ({ path }: Made): Promise<Made> => (await scene.client.get(path)).body as Made;

interface Stamps {
  started_at: string | null;
  paused_at: string | null;
  archived_at: string | null;
}

const stampsOf = ({ started_at, paused_at, archived_at }: Made): Stamps => ({
  started_at: started_at as string | null,
  paused_at: paused_at as string | null,
  archived_at: archived_at as string | null,
});

/** The names of the timestamps that are set. */
const setOf = (made: Made): string[] =>
  Object.entries(stampsOf(made))
    .filter(([, value]) => value !== null)
    .map(([name]) => name);

describe('the timestamps', () => {
  it('are set and cleared by status changes', async () => {
    const experiment = await scene.make.ready();
    expect(setOf(await shown(experiment))).toEqual([]);
    const steps: [status: string, set: string[]][] = [
      ['preview', []],
      ['archive', ['archived_at']],
      ['draft', []],
      ['running', ['started_at']],
      ['pause', ['started_at', 'paused_at']],
      ['preview', ['started_at']],
      ['pause', ['started_at', 'paused_at']],
      ['running', ['started_at']],
      ['archive', ['started_at', 'archived_at']],
      ['pause', ['started_at', 'paused_at']],
    ];
    for (const [status, set] of steps) {
      const moved = await scene.make.move(experiment, status);
      expect([status, setOf(moved)]).toEqual([status, set]);
      expect(await shown(experiment)).toMatchObject(stampsOf(moved));
    }
  });

  it('are the times of the status changes, in order, with microseconds', async () => {
    const experiment = await scene.make.ready();
    const before = new Date().toISOString();
    const { started_at: started, updated_at: updated } = await scene.make.move(experiment, 'running');
    const { paused_at: paused } = await scene.make.move(experiment, 'pause');
    const { archived_at: archived } = await scene.make.move(experiment, 'archive');
    expect(started).toBe(updated);
    expect([before, started, paused, archived]).toEqual([before, started, paused, archived].sort());
    expect(archived <= new Date(Date.now() + 10).toISOString()).toBe(true);
  });

  it('keep the time of the first start', async () => {
    const experiment = await scene.make.ready();
    const { started_at: first } = await scene.make.move(experiment, 'running');
    await scene.make.move(experiment, 'pause');
    const again = await scene.make.move(experiment, 'running');
    expect(again.started_at).toBe(first);
    expect(again.updated_at > first).toBe(true);
  });
});

describe('the same status', () => {
  it.each(['draft', 'preview', 'running', 'pause', 'archive'])(
    '%s returns 200 and changes nothing',
    async (status) => {
      const experiment = await scene.make.withStatus(status);
      const before = await scene.client.get(experiment.path);
      const audited = await scene.api.database.read.query('SELECT COUNT(*) AS count FROM audit_entries');
      const answer = await scene.client.patch(`${experiment.path}/status`, { status });
      expect([answer.status, answer.headers.etag]).toEqual([200, before.headers.etag]);
      expect(answer.body).toEqual(before.body);
      expect(
        await scene.client.get(experiment.path, { 'if-none-match': before.headers.etag! }),
      ).toHaveProperty('status', 304);
      expect(await scene.api.database.read.query('SELECT COUNT(*) AS count FROM audit_entries')).toEqual(
        audited,
      );
    },
  );

  it('is accepted for a draft that is not ready', async () => {
    const experiment = await scene.make.experiment();
    expect((await scene.client.patch(`${experiment.path}/status`, { status: 'draft' })).status).toBe(200);
  });

  it('is accepted for a running experiment that is no longer ready', async () => {
    const experiment = await scene.make.withStatus('running', {
      variations: [
        { name: 'A', traffic_allocation: 50 },
        { name: 'B', traffic_allocation: 50 },
      ],
    });
    const [{ id }] = experiment.variations;
    await scene.client.patch(`${experiment.path}/variations/${id}`, { traffic_allocation: 10 });
    expect((await scene.client.patch(`${experiment.path}/status`, { status: 'running' })).status).toBe(200);
    expect((await scene.client.patch(`${experiment.path}/status`, { status: 'preview' })).status).toBe(422);
  });
});

describe('the status operation', () => {
  it('returns the complete updated record', async () => {
    const experiment = await scene.make.ready({ tags: ['a'], js: 'let a = 1;' });
    const { body } = await scene.client.patch(`${experiment.path}/status`, { status: 'running' });
    const { path: _path, ...created } = experiment;
    const { status, started_at, updated_at } = body as Made;
    expect(body).toEqual({ ...created, status, started_at, updated_at });
    expect(body).toEqual(await shown(experiment));
  });

  it('is the only way to change the status', async () => {
    const experiment = await scene.make.ready();
    for (const method of ['put', 'patch'] as const) {
      const answer = await scene.client[method](experiment.path, { status: 'running' });
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['status']]);
    }
    const created = await scene.client.post(`${scene.project}/experiments`, { name: 'E', status: 'running' });
    expect([created.status, Object.keys(created.body.errors)]).toEqual([422, ['status']]);
  });

  it('supports only PATCH', async () => {
    const experiment = await scene.make.ready();
    for (const method of ['put', 'post', 'get', 'delete'] as const) {
      const answer = await scene.client[method](`${experiment.path}/status`, { status: 'running' });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'PATCH']);
    }
  });

  it('records each run of the experiment', async () => {
    const experiment = await scene.make.ready();
    for (const status of ['running', 'pause', 'running', 'archive']) {
      await scene.make.move(experiment, status);
    }
    const runs: { started_at: unknown; ended_at: unknown }[] = await scene.api.database.read.query(
      'SELECT started_at, ended_at FROM experiment_runs WHERE experiment_id = ? ORDER BY id',
      [experiment.id],
    );
    expect(runs).toHaveLength(2);
    expect(runs.every(({ started_at, ended_at }) => Number(started_at) < Number(ended_at))).toBe(true);
  });

  it('starts the experiment once for two concurrent requests', async () => {
    for (let round = 0; round < 10; round += 1) {
      const experiment = await scene.make.ready();
      const answers = await Promise.all(
        ['running', 'running'].map((status) => scene.client.patch(`${experiment.path}/status`, { status })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0].body).toEqual(answers[1].body);
      const runs: unknown[] = await scene.api.database.read.query(
        'SELECT id FROM experiment_runs WHERE experiment_id = ?',
        [experiment.id],
      );
      expect(runs).toHaveLength(1);
    }
  });

  it.each(['PATCH', 'DELETE'] as const)(
    'checks the permission for %s against the latest status',
    async (method) => {
      const { editor } = scene.world.people;
      const { id, path } = await scene.make.withStatus('preview');
      const start =
        "UPDATE experiments SET status = 'running', started_at = 1, version = version + 1 WHERE id = ?";
      const answer = await behindAnotherWrite(
        scene.api,
        scene.world.projectId,
        (tx) => tx.query(start, [id]),
        () =>
          method === 'PATCH'
            ? editor.client.patch(`${path}/status`, { status: 'draft' })
            : editor.client.delete(path),
      );
      const refusal = {
        message: 'This action is unauthorized.',
        code: 'ROLE_INSUFFICIENT',
        role: 'editor',
        permission: 'experiments:run',
      };
      expect([answer.status, answer.body]).toEqual([403, refusal]);
      expect((await shown({ path } as Made)).status).toBe('running');
    },
  );
});
