import { ShareTokensService } from '../../src/experiments/share-tokens.service';
import { Cells } from '../support/cells';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { statementsDuring } from '../support/statements';

/* The info of results, the permissions to read results, and the number of statements. */

const scene = useScene();

const infoOf = async ({ path }: { path: string }): Promise<Made> => {
  const { status, body } = await scene.client.get(`${path}/results/info`);
  expect(status).toBe(200);
  return body as Made;
};

describe('the results info', () => {
  const TOKEN = /^[\w-]{43}$/;

  it('exists before there are results', async () => {
    const experiment = await scene.make.experiment();
    const info = await infoOf(experiment);
    expect(info).toEqual({
      share_token: expect.stringMatching(TOKEN),
      share_url: `https://ab.example.com/share/${info.share_token}`,
      has_results: false,
      participants: 0,
      first_event_at: null,
      last_event_at: null,
      sample_ratio_mismatch: {
        chiSquare: 0,
        degreesOfFreedom: 0,
        pValue: 1,
        isMismatch: false,
      },
      can_detect_mismatch: false,
      crossovers: 0,
      events_counted_before: null,
      ended_at: null,
      counted_until: null,
      is_final: false,
      events_removed_before: null,
      revised_at: null,
      recomputing: false,
      phases: [],
    });
  });

  it('contains participants, crossovers, and the times of the first and last event', async () => {
    const experiment = await scene.make.ready();
    const [a, b] = experiment.variations.map(({ id }: Made) => id);
    await new Cells(scene.api, experiment.id)
      .entered({ variation: a, day: '2026-05-01' }, 60)
      .entered({ variation: b, day: '2026-05-02', device: 'mobile' }, 40)
      .crossed({ variation: a, day: '2026-05-03', entered: '2026-05-01' }, 2)
      .crossed({ variation: b, day: '2026-05-04', entered: '2026-05-02' }, 3)
      .store();
    const info = await infoOf(experiment);
    expect(info).toMatchObject({
      has_results: true,
      participants: 100,
      crossovers: 5,
      first_event_at: '2026-05-01T00:00:00.000001Z',
      last_event_at: '2026-05-04T23:59:59.999999Z',
    });
    // Chi-square is 2·(60 - 50)²/50 = 4. The probability of 4 or more is about 5 %.
    expect(info.sample_ratio_mismatch).toMatchObject({
      chiSquare: 4,
      degreesOfFreedom: 1,
      isMismatch: false,
    });
    expect(info.sample_ratio_mismatch.pValue).toBeCloseTo(0.0455003, 7);
  });

  it('comes with a warning in the results if more than 1 % of the participants are crossovers', async () => {
    const goal = await scene.make.goal();
    const experiment = await scene.make.ready({ goals: [goal.id] });
    const [a, b] = experiment.variations.map(({ id }: Made) => id);
    const cells = new Cells(scene.api, experiment.id);
    const warnings = async (query = ''): Promise<Made[]> => {
      const { body } = await scene.client.get(`${experiment.path}/results${query}`);
      return Object.values<Made>(body[0].variationStatistics).map(({ statistics }) => statistics.warnings);
    };
    await cells
      .entered({ variation: a, day: '2026-05-01' }, 100)
      .entered({ variation: b, day: '2026-05-02' }, 100)
      .crossed({ variation: a, day: '2026-05-03', entered: '2026-05-01' }, 2)
      .store();
    const [none, all] = [expect.not.arrayContaining(['CROSSOVERS']), expect.arrayContaining(['CROSSOVERS'])];
    expect(await warnings()).toEqual([none, none]);
    await cells.crossed({ variation: b, day: '2026-05-03', entered: '2026-05-02' }, 1).store();
    expect(await warnings()).toEqual([all, all]);
    expect(await warnings('?startDate=2026-05-02')).toEqual([none, none]);
  });

  it.each<[shares: (number | null)[], participants: number[], isMismatch: boolean]>([
    [[null, null], [5000, 5000], false],
    [[null, null], [5000, 5500], true],
    [[null, null, null], [3333, 3334, 3333], false],
    [[90, null], [9000, 1000], false],
    [[90, 10], [5000, 5000], true],
    [[50, null, null], [5000, 2500, 2500], false],
    [[100, 0], [5000, 0], false],
  ])('for shares %j and participants %j, mismatch is %s', async (shares, participants, isMismatch) => {
    const variations = shares.map((traffic_allocation) => ({ name: 'Variation', traffic_allocation }));
    const experiment = await scene.make.ready({ variations });
    const cells = new Cells(scene.api, experiment.id);
    for (const [index, count] of participants.entries()) {
      cells.entered({ variation: experiment.variations[index].id, day: '2026-05-01' }, count);
    }
    await cells.store();
    expect((await infoOf(experiment)).sample_ratio_mismatch.isMismatch).toBe(isMismatch);
    const { body } = await scene.client.get(`${experiment.path}/results`);
    for (const { statistics } of Object.values(body[0].variationStatistics as object) as Made[]) {
      expect(statistics.warnings.includes('SAMPLE_RATIO_MISMATCH')).toBe(isMismatch);
    }
  });
});

describe('the share token', () => {
  const tokens = (): ShareTokensService => scene.api.app.get(ShareTokensService, { strict: false });

  it('can be replaced by a new one, and the audit log contains neither', async () => {
    const experiment = await scene.make.experiment();
    const before = await infoOf(experiment);
    const share = await tokens().rotateShareToken(experiment.id, 'admin');
    const after = await infoOf(experiment);
    expect(after.share_token).not.toBe(before.share_token);
    expect(after.share_token).toMatch(/^[\w-]{43}$/);
    expect(share).toEqual({
      id: experiment.id,
      shared: true,
      share_token: after.share_token,
      share_url: after.share_url,
    });
    const entries: Record<string, unknown>[] = await scene.api.database.read.query(
      "SELECT * FROM audit_entries WHERE item_type = 'experiment' AND item_id = ? ORDER BY id DESC",
      [experiment.id],
    );
    expect(entries[0]).toMatchObject({ source: 'admin', action: 'rotate-share-token' });
    expect(JSON.stringify(entries)).not.toContain(before.share_token);
    expect(JSON.stringify(entries)).not.toContain(after.share_token);
  });

  it('cannot be replaced for experiments that do not exist or are in the trash', async () => {
    const experiment = await scene.make.experiment();
    await scene.client.delete(experiment.path);
    expect(await tokens().rotateShareToken(experiment.id, 'admin')).toBeNull();
    expect(await tokens().rotateShareToken(2_147_483_647, 'admin')).toBeNull();
  });
});

describe('results are read', () => {
  let experiment: Made;
  let goal: Made;
  let paths: string[];
  beforeAll(async () => {
    goal = await scene.make.goal();
    experiment = await scene.make.ready({ goals: [goal.id] });
    paths = ['', '/info', `/goal/${goal.id}`, `/goal/${goal.id}/download`].map(
      (path) => `${experiment.path}/results${path}`,
    );
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: '2026-05-01' }, 1)
      .store();
  });

  const statusesOf = async (client: typeof scene.client): Promise<number[]> => {
    const statuses: number[] = [];
    for (const path of paths) {
      statuses.push((await client.get(path)).status);
    }
    return statuses;
  };

  it('by every member with any token, and by no other user', async () => {
    const { viewer } = scene.world.people;
    expect(await statusesOf(viewer.client)).toEqual([200, 200, 200, 200]);
    expect(await statusesOf(scene.api.as(await scene.api.token(viewer.id, 'read')))).toEqual([
      200, 200, 200, 200,
    ]);
    expect(await statusesOf(scene.world.outsider.client)).toEqual([404, 404, 404, 404]);
  });

  it('only under the project and experiment that they belong to', async () => {
    const elsewhere = await anotherProject(scene);
    const foreign = await scene.other.make.ready();
    const unattached = await scene.make.goal();
    const deleted = await scene.make.goal();
    await scene.client.delete(deleted.path);
    const goals = [unattached.id, deleted.id, foreign.goals[0].id, 2_147_483_647, 0, '01', 'x'];
    const wrong = [
      paths[0].replace(scene.project, elsewhere.project),
      paths[0].replace(scene.project, scene.other.project),
      paths[2].replace(scene.project, elsewhere.project),
      `${foreign.path}/results`,
      `${scene.project}/experiments/${foreign.id}/results`,
      ...goals.flatMap((id) => ['', '/download'].map((end) => `${paths[0]}/goal/${id}${end}`)),
    ];
    for (const path of wrong) {
      const { status, body } = await scene.client.get(path);
      expect([path, status, body]).toEqual([path, 404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    }
  });

  it('but not if the experiment is in the trash, even if they were cached', async () => {
    const gone = await scene.make.ready();
    const path = `${gone.path}/results`;
    await new Cells(scene.api, gone.id)
      .entered({ variation: gone.variations[0].id, day: '2026-05-01' }, 1)
      .store();
    const { headers } = await scene.client.get(path);
    await scene.client.delete(gone.path);
    expect((await scene.client.get(path, { 'if-none-match': headers.etag! })).status).toBe(404);
    expect((await scene.client.get(`${path}/info`)).body).toEqual({
      message: 'Not Found',
      code: 'NOT_FOUND',
    });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('but not written: %s returns 405', async (method) => {
    for (const path of paths) {
      const { status, headers } = await scene.client.send(method, path, method === 'DELETE' ? undefined : {});
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  it('with HEAD as with GET, but without the body', async () => {
    for (const path of paths) {
      const [get, head] = [await scene.client.get(path), await scene.client.send('HEAD', path)];
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      expect(head.headers.etag).toBe(get.headers.etag);
    }
  });
});

describe('the number of SQL statements for a response', () => {
  const SIZES = [1, 50];
  /** The index lookup that only `/info` has. It reads the progress of attribution. */
  const OLDEST_MARK = /\(SELECT MIN\(marked_at\) FROM dirty_visitors WHERE project_id = [ep][.\w]+\)/;

  async function filled(make: Maker, size: number): Promise<string[]> {
    const goals: Made[] = [];
    for (let index = 0; index < size; index += 1) {
      goals.push(await make.goal());
    }
    const variations = Array.from({ length: size === 1 ? 1 : 5 }, (_, index) => ({ name: `V${index}` }));
    const experiment = await make.ready({ goals: goals.map(({ id }) => id), variations });
    const cells = new Cells(scene.api, experiment.id);
    for (const { id: variation } of experiment.variations as Made[]) {
      for (const day of ['2026-05-01', '2026-05-02'].slice(0, size)) {
        cells.entered({ variation, day }, 10);
        goals.forEach(({ id }) => cells.converted(id, { variation, day }, { converters: 2 }));
      }
    }
    await cells.store();
    return ['', '/info', `/goal/${goals[0].id}`, `/goal/${goals[0].id}/download`].map(
      (path) => `${experiment.path}/results${path}`,
    );
  }

  it('is the same for 1 and 50 goals, and no statement reads events', async () => {
    const made = [];
    for (const size of SIZES) {
      made.push(await filled(await anotherProject(scene), size));
    }
    for (const [index, path] of made[0].entries()) {
      const counts: number[] = [];
      for (const address of [path, made[1][index]]) {
        const statements = await statementsDuring(scene.api, async () => {
          expect((await scene.client.get(address)).status).toBe(200);
        });
        const own = statements
          .filter((sql) => !sql.includes('api_tokens'))
          .map((sql) => (address.endsWith('/info') ? sql.replace(OLDEST_MARK, '') : sql));
        expect(own.filter((sql) => /\b(events|dirty_visitors)\b/.test(sql))).toEqual([]);
        counts.push(own.length);
      }
      expect([path, counts[1]]).toEqual([path, counts[0]]);
      expect(counts[0]).toBeLessThanOrEqual(11);
    }
  });
});
