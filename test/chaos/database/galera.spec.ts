import { RebuildService } from '../../../src/events/rebuild.service';
import { attributeAll, shownCells } from '../../support/events';
import { missingForGalera } from '../../support/galera';
import { NAME, useGalera } from '../../support/galera-stage';
import { idsOf, Rivals, SignIns } from '../../support/linked-traffic';
import { describeWith } from '../../support/mariadb';
import type { Made } from '../../support/scene';
import { Traffic } from '../../support/traffic';
import { until } from '../../support/waiting';

const MANY = 900;
/** The number of visitors with linked ids. */
const VISITORS = 300;
const SIZE = { visitors: VISITORS, batch: 10, senders: 6 };

describeWith(missingForGalera)('two servers on two nodes of a cluster', () => {
  const stage = useGalera();

  describe('linked ids', () => {
    // Restarts the first server, because it has failed over to the second node.
    afterAll(() => stage.restart(0));

    /** The links on a node, from each id of the project to its canonical id. */
    async function linksOn(node: number, projectId: number): Promise<Map<string, string>> {
      const rows = await stage.cluster.nodes[node].query(
        `SELECT visitor_id, canonical_id FROM ${NAME}.linked_visitors
          WHERE project_id = ${projectId} ORDER BY visitor_id`,
      );
      return new Map(rows.map(({ visitor_id, canonical_id }) => [String(visitor_id), String(canonical_id)]));
    }

    /** The links of a project. Asserts that they are equal on all nodes, and that no canonical id is itself linked. */
    async function linksOf(projectId: number, nodes: readonly number[]): Promise<Map<string, string>> {
      const all = await Promise.all(nodes.map((node) => linksOn(node, projectId)));
      const [links] = all;
      all.forEach((each) => expect(each).toEqual(links));
      expect([...links.values()].filter((canonical) => links.has(canonical))).toEqual([]);
      const [{ count }] = await stage.cluster.nodes[nodes[0]].query(
        `SELECT links AS count FROM ${NAME}.link_counts WHERE project_id = ${projectId}`,
      );
      expect(Number(count)).toBe(links.size);
      return links;
    }

    /** Asserts that a rebuild from the events and the links gives the same cells. */
    async function expectSameAfterRebuild(): Promise<void> {
      const cells = await shownCells(stage.api);
      await stage.api.app.get(RebuildService, { strict: false }).rebuild({});
      await attributeAll(stage.api);
      expect(await shownCells(stage.api)).toEqual(cells);
    }

    it('assign a device to one of two users who sign in at the same time', async () => {
      const { projectId, clientKey, experiment } = await stage.experiment();
      const sent = new Rivals(clientKey, experiment, { ...SIZE, conversions: Rivals.CONVERSIONS });
      await sent.send(stage.addresses());
      await stage.expectAll(sent, VISITORS * 7);
      const links = await linksOf(projectId, [0, 1, 2]);
      expect(links.size).toBe(VISITORS);
      for (let visitor = 0; visitor < VISITORS; visitor += 1) {
        const [device, , one, other] = idsOf(visitor);
        expect([one, other]).toContain(links.get(device));
      }
      await expectSameAfterRebuild();
    }, 180_000);

    it('have one canonical id on all nodes, with every event counted once, if a node is killed', async () => {
      const { projectId, clientKey, experiment } = await stage.experiment();
      const sent = new SignIns(clientKey, experiment, { ...SIZE, conversions: SignIns.CONVERSIONS });
      const sending = sent.send(stage.addresses());
      await until(() => sent.acknowledged.length >= VISITORS, 'acknowledged events');
      await stage.cluster.nodes[0].kill();
      await sending;
      await stage.expectAll(sent, VISITORS * 5);
      const links = await linksOf(projectId, [1, 2]);
      expect(links.size).toBe(VISITORS * 3);
      for (let visitor = 0; visitor < VISITORS; visitor += 1) {
        const canonical = new Set(idsOf(visitor).map((id) => links.get(id) ?? id));
        expect([visitor, canonical.size]).toEqual([visitor, 1]);
      }
      await expectSameAfterRebuild();
      await stage.cluster.join(stage.cluster.nodes[0]);
      expect(await linksOf(projectId, [0, 1, 2])).toEqual(links);
    }, 180_000);

    it('never cause status 500', () => {
      for (const server of stage.servers) {
        const statuses = server.logLines().map(({ status }) => status);
        expect(statuses.filter((status) => status === 500)).toEqual([]);
      }
    });
  });

  /** Creates visitors of a running experiment in a separate project, with six messages each. */
  async function traffic(visitors: number): Promise<Traffic> {
    const { clientKey, experiment } = await stage.experiment();
    return new Traffic(clientKey, experiment, { visitors, conversions: 5, batch: 20, senders: 6 });
  }

  const expectAll = (sent: Traffic, visitors: number): Promise<void> => stage.expectAll(sent, visitors * 6);

  it('count each acknowledged message once, although both receive messages of the same visitors', async () => {
    const sent = await traffic(MANY);
    await sent.send(stage.addresses());
    await expectAll(sent, MANY);
    expect([...sent.statuses.keys()]).toEqual([200]);
  }, 120_000);

  it('show writes made on the other server immediately, and accept concurrent writes', async () => {
    const project = `/api/projects/${await stage.api.project(stage.world.teamId)}`;
    const headers = {
      authorization: `Bearer ${stage.world.people.admin.token}`,
      'content-type': 'application/json',
    };
    const call = async (server: number, method: string, path: string, body?: object) => {
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${stage.servers[server].address}${path}`, init);
      return { status: answer.status, body: (await answer.json()) as Made & Made[] };
    };
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        call(index % 2, 'POST', `${project}/goals`, { name: 'Same', api_name: `goal-${index >> 1}` }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(15).fill(201), ...Array(15).fill(422)]);
    const [goal] = made.filter(({ status }) => status === 201);
    for (let round = 0; round < 10; round += 1) {
      const path = `${project}/goals/${goal.body.id}`;
      expect((await call(round % 2, 'PATCH', path, { name: `Round ${round}` })).status).toBe(200);
      expect((await call((round + 1) % 2, 'GET', path)).body.name).toBe(`Round ${round}`);
    }
    const patches = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(index % 2, 'PATCH', `${project}/goals/${goal.body.id}`, { description: `Text ${index}` }),
      ),
    );
    expect(new Set(patches.map(({ status }) => status))).toEqual(new Set([200]));
    const lists = await Promise.all([0, 1].map((server) => call(server, 'GET', `${project}/goals`)));
    expect(lists[0].body).toHaveLength(15);
    expect(lists[1].body).toEqual(lists[0].body);
  }, 60_000);

  it('lose no events when a node is killed', async () => {
    const sent = await traffic(MANY);
    const sending = sent.send(stage.addresses());
    await until(() => sent.acknowledged.length >= MANY, 'acknowledged events');
    await stage.cluster.nodes[0].kill();
    await sending;
    await expectAll(sent, MANY);
  }, 120_000);

  it('are not ready without a quorum, and lose no events', async () => {
    const survivor = stage.cluster.nodes[2];
    const sent = await traffic(600);
    const sending = sent.send(stage.addresses());
    await until(() => sent.acknowledged.length >= 600, 'acknowledged events');
    await stage.cluster.nodes[1].kill();
    await survivor.until("SHOW STATUS LIKE 'wsrep_cluster_status'", ([row]) => row?.Value === 'non-Primary');
    for (const address of stage.addresses()) {
      expect((await fetch(`${address}/health/ready`)).status).toBe(503);
      expect((await fetch(`${address}/health/live`)).status).toBe(200);
    }
    await stage.cluster.bootstrap(survivor);
    await sending;
    await expectAll(sent, 600);
    await stage.cluster.join(stage.cluster.nodes[0]);
    expect(
      await stage.cluster.nodes[0].query(`SELECT COUNT(*) AS marks FROM ${NAME}.dirty_visitors`),
    ).toEqual([{ marks: 0 }]);
  }, 180_000);

  it('log each failure at most once per second, and nothing unexpected', () => {
    for (const server of stage.servers) {
      const errors = server.logLines().filter(({ level }) => level === 50);
      const seconds = new Set(errors.map(({ time }) => Math.floor(Number(time) / 1_000)));
      expect(errors.length).toBeLessThanOrEqual(2 * seconds.size);
      const statuses = server.logLines().map(({ status }) => status);
      expect(statuses.filter((status) => status === 500)).toEqual([]);
    }
  });
});
