import { randomUUID } from 'node:crypto';
import { Attributor } from '../../src/events/attributor';
import { parseTimestamp } from '../../src/common/time/clock';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { changeCounting } from '../../src/experiments/experiment-run.store';
import { TrashService } from '../../src/projects/trash/trash.service';
import type { TestApi } from '../support/api';
import { attributeAll, exposure, send } from '../support/events';
import { alias, at, identify, LinkStage } from '../support/linked-visitors';
import { Maker, useScene } from '../support/scene';

/* Linked ids in final results, exclusions, deleted projects and several processes. */

const scene = useScene();
const stage = new LinkStage(scene);
const HOUR = 3_600_000_000;
/** The fields of a message without a timestamp. The server gives such a message its time of arrival. */
const UNTIMED = { timestamp: undefined };

describe('a final result', () => {
  /** Makes the experiment look as if it had been archived 73 hours ago, after all links were made. */
  async function archiveLongAgo(): Promise<void> {
    const { id, path } = stage.experiment;
    expect((await scene.client.patch(`${path}/status`, { status: 'archive' })).status).toBe(200);
    await scene.api.database.transaction(async (tx) => {
      await tx.query(
        'UPDATE experiments SET archived_at = archived_at - ?, version = version + 1 WHERE id = ?',
        [73 * HOUR, id],
      );
      await tx.query('UPDATE linked_visitors SET linked_at = linked_at - ?', [73 * HOUR]);
      await tx.query(
        'UPDATE experiment_results SET rules_version = rules_version + 1 WHERE experiment_id = ?',
        [id],
      );
      await tx.query('UPDATE project_versions SET version = version + 1');
    });
    await attributeAll(scene.api);
  }

  it('keeps its links, but gets no new links until the experiment leaves the archive', async () => {
    const { anonymous, user, phone } = stage;
    const account = randomUUID();
    const running = await scene.make.withStatus('running', { goals: [stage.goal.id] });
    const messages = [anonymous, user, phone, account].flatMap((id, index) => [
      stage.viewed(id, index % 2, at(index)),
      stage.viewed(id, index % 2, UNTIMED, running),
      stage.bought(id, 2 ** index),
    ]);
    await stage.collect(...messages, identify(phone, account));
    const before = [
      [2, 2, 13],
      [1, 1, 2],
    ];
    expect(await stage.results()).toEqual(before);
    await archiveLongAgo();
    expect(await stage.info()).toMatchObject({ is_final: true, participants: 3 });

    await stage.collect(identify(anonymous, user), alias(anonymous, phone));
    expect(await stage.results()).toEqual(before);
    expect(await stage.info()).toMatchObject({ revised_at: null, participants: 3, crossovers: 1 });
    const { body } = await scene.client.get(`${running.path}/results/info`);
    expect(body.participants).toBe(2);

    const left = await scene.client.patch(`${stage.experiment.path}/status`, { status: 'pause' });
    expect(left.status).toBe(200);
    const after = [
      [2, 2, 15],
      [0, 0, 0],
    ];
    expect(await stage.results()).toEqual(after);
  });
});

describe('an exclusion', () => {
  const service = (): ExclusionsService => scene.api.app.get(ExclusionsService, { strict: false });
  const scopeOf = (ids: string[]) => ({
    projectId: scene.world.projectId,
    experimentId: null,
    criteria: { ids },
  });

  beforeEach(async () => {
    const { anonymous, user } = stage;
    await stage.collect(stage.viewed(anonymous, 0), stage.viewed(randomUUID(), 1), stage.bought(user, 4));
  });

  it('of one id excludes the visitor, even if that id has no exposures', async () => {
    await stage.collect(identify(stage.anonymous, stage.user));
    const whole = await stage.results();
    expect(await service().count(scopeOf([stage.user]))).toBe(1);
    for (const id of [stage.user, stage.anonymous]) {
      const exclusion = await service().exclude(scopeOf([id]), 1);
      expect(await stage.results()).toEqual([
        [0, 0, 0],
        [1, 0, 0],
      ]);
      await stage.collect(stage.viewed(stage.user, 1, at(5)), stage.bought(stage.anonymous, 8));
      expect(await stage.results()).toEqual([
        [0, 0, 0],
        [1, 0, 0],
      ]);
      await service().include(exclusion.id);
      expect(await stage.results()).not.toEqual(whole);
    }
    expect(await stage.results()).toEqual([
      [1, 1, 20],
      [1, 0, 0],
    ]);
  });

  it.each([0, 1])('of an id that is linked later excludes the visitor (id number %i)', async (place) => {
    await stage.collect(stage.viewed(stage.user, 1, at(5)));
    const excluded = [stage.anonymous, stage.user].sort()[place];
    const exclusion = await service().exclude(scopeOf([excluded]), 1);
    const apart = {
      [stage.anonymous]: [
        [0, 0, 0],
        [2, 1, 4],
      ],
      [stage.user]: [
        [1, 0, 0],
        [1, 0, 0],
      ],
    };
    expect(await stage.results()).toEqual(apart[excluded]);
    await stage.collect(identify(stage.anonymous, stage.user));
    expect(await stage.results()).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ]);
    await service().include(exclusion.id);
    expect(await stage.results()).toEqual([
      [1, 1, 4],
      [1, 0, 0],
    ]);
  });

  it('by time considers the first exposure under any id', async () => {
    await stage.collect(stage.viewed(stage.user, 1, at(60)));
    const times = { from: parseTimestamp(at(30).timestamp), until: null };
    const scope = { ...scopeOf([]), experimentId: stage.experiment.id, criteria: times };
    expect(await service().count(scope)).toBe(1);
    await stage.collect(identify(stage.anonymous, stage.user));
    expect(await service().count(scope)).toBe(0);
  });
});

it('links are deleted with their project', async () => {
  const id = await scene.api.project(scene.world.teamId, 'Gone');
  const path = `/projects/${id}`;
  const key = (await scene.client.get(path)).body.client_key as string;
  const experiment = await new Maker(scene.client, path).withStatus('running');
  const messages = [
    exposure('seen', experiment.id, experiment.variations[0].id as number),
    identify('seen', 'signed-in'),
    identify('unseen', 'never-seen'),
  ];
  expect((await send(scene.api, key, messages)).body.accepted).toBe(3);
  expect((await scene.client.patch(`${experiment.path}/status`, { status: 'pause' })).status).toBe(200);
  expect((await scene.client.delete(path)).status).toBe(204);
  await scene.api.app.get(TrashService, { strict: false }).purge({ type: 'project', id }, 'admin');
  for (const table of ['events', 'linked_visitors', 'link_counts', 'dirty_visitors']) {
    const left: unknown[] = await scene.api.database.read.query(
      `SELECT project_id FROM ${table} WHERE project_id = ?`,
      [id],
    );
    expect([table, left]).toEqual([table, []]);
  }
});

describe('results that are recomputed', () => {
  const nameOf = (number: number): string => `!${String(number).padStart(3, '0')}`;

  /** One step of a rebuild counts 500 visitors, in the order of their ids. */
  it('include links between visitors who are already counted and others', async () => {
    const visitors = [...Array(600).keys()];
    await stage.collect(
      ...visitors.flatMap((number) => [
        stage.viewed(nameOf(number), 0, number === 10 ? at(-30) : {}),
        stage.bought(nameOf(number), number),
      ]),
    );
    const sum = (599 * 600) / 2;
    expect((await stage.results())[0]).toEqual([600, 600, sum]);
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await startAt(-15);
    expect(await rebuilds.follow()).toBe(true);
    await stage.collect(
      identify(nameOf(1), nameOf(550)),
      identify(nameOf(551), nameOf(2)),
      identify(nameOf(3), nameOf(4)),
      identify(nameOf(552), nameOf(553)),
      // Ids without events that sort before and after all others.
      identify(nameOf(5), '~'),
      identify(nameOf(554), '!'),
    );
    await scene.api.app.get(Attributor, { strict: false }).drain();
    expect(await stage.results()).toEqual([
      [595, 595, sum - 10],
      [0, 0, 0],
    ]);
  });

  /** Sets the start of the run to the time `at(minutes)`. */
  async function startAt(minutes: number): Promise<void> {
    const { id } = stage.experiment;
    await scene.api.database.transaction(async (tx) => {
      const start = parseTimestamp(at(minutes).timestamp);
      await tx.query('UPDATE experiment_runs SET started_at = ? WHERE experiment_id = ?', [start, id]);
      await changeCounting(tx, id);
    });
  }
});

describe('two servers with a worker each', () => {
  const VISITORS = 40;

  it('link each device once, and count each visitor once', async () => {
    const servers = await Promise.all([1, 2].map(() => scene.api.sibling({ WORKER: 'inline' })));
    const visitors = [...Array(VISITORS).keys()].map(() => ({
      device: randomUUID(),
      users: [randomUUID(), randomUUID()],
    }));
    const deliver = async (server: TestApi, batch: object[]): Promise<void> => {
      expect((await send(server, stage.key, batch)).body.accepted).toBe(batch.length);
    };
    // Each server links the device to a different user, and both users buy.
    const rounds = servers.flatMap((server, index) => [
      deliver(
        server,
        visitors.map(({ device }) => stage.viewed(device, index)),
      ),
      deliver(
        server,
        visitors.map(({ device, users }) => identify(device, users[index])),
      ),
      ...visitors.map(({ device, users }) =>
        deliver(server, [stage.bought(users[index], 1), identify(device, users[index])]),
      ),
      deliver(
        server,
        visitors.map(({ device }) => stage.bought(device, 10)),
      ),
    ]);
    await Promise.all(rounds);
    await Promise.all(servers.map((server) => server.close()));
    const [first, second] = await stage.results();
    expect(first.map((count, index) => count + second[index])).toEqual([VISITORS, VISITORS, VISITORS * 21]);
    const links: { canonical_id: string }[] = await scene.api.database.read.query(
      'SELECT canonical_id FROM linked_visitors WHERE project_id = ? AND attributed = 1',
      [scene.world.projectId],
    );
    const users = new Set<string>(visitors.flatMap((visitor) => visitor.users));
    expect(links.filter(({ canonical_id }) => users.has(canonical_id))).toHaveLength(VISITORS);
  });

  it('attribute two ids of the same visitor at the same time, and count each event once', async () => {
    const servers = await Promise.all([1, 2].map(() => scene.api.sibling({ WORKER: 'off' })));
    const attributors = servers.map(({ app }) => app.get(Attributor, { strict: false }));
    // One step handles as many ids as there are visitors, so each of two concurrent steps takes one id of each visitor.
    const numbers = [...Array(300).keys()];
    const [anonymous, signedIn] = ['!', '"'].map((sign) => numbers.map((number) => `${sign}${number}-both`));
    await stage.collect(
      ...numbers.map((number) => stage.viewed(anonymous[number], 0)),
      ...numbers.map((number) => identify(anonymous[number], signedIn[number])),
    );
    expect((await stage.results())[0]).toEqual([300, 0, 0]);
    for (const round of [1, 2, 3]) {
      await stage.collect(...[...anonymous, ...signedIn].map((id) => stage.bought(id, 1)));
      // Many other visitors are marked, so the database looks up each mark by key.
      for (const some of [0, 1, 2]) {
        await stage.collect(...[...Array(1_500).keys()].map((each) => stage.bought(`~${some}-${each}`, 1)));
      }
      await Promise.all(attributors.map((attributor) => attributor.step(null)));
      expect((await stage.results())[0]).toEqual([300, 300, 600 * round]);
    }
    await Promise.all(servers.map((server) => server.close()));
  });
});
