import { RebuildService } from '../../../src/events/rebuild.service';
import { attributeAll, shownCells } from '../../support/events';
import { missingForGalera } from '../../support/galera';
import { NAME, useGalera } from '../../support/galera-stage';
import { idsOf, Rivals, SignIns } from '../../support/linked-traffic';
import { describeWith } from '../../support/mariadb';

const VISITORS = 300;
const SIZE = { visitors: VISITORS, batch: 10, senders: 6 };

describeWith(missingForGalera)('linked ids on two nodes of a cluster', () => {
  const stage = useGalera();

  /** The canonical ids of a project, as a node has them. */
  async function linksOn(node: number, projectId: number): Promise<Map<string, string>> {
    const rows = await stage.cluster.nodes[node].query(
      `SELECT visitor_id, canonical_id FROM ${NAME}.linked_visitors
        WHERE project_id = ${projectId} ORDER BY visitor_id`,
    );
    return new Map(rows.map(({ visitor_id, canonical_id }) => [String(visitor_id), String(canonical_id)]));
  }

  /** The links of a project, which are the same on all nodes; no canonical id is linked itself. */
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

  /** A rebuild from the events and the links gives the same cells. */
  async function expectSameAfterRebuild(): Promise<void> {
    const cells = await shownCells(stage.api);
    await stage.api.app.get(RebuildService, { strict: false }).rebuild({});
    await attributeAll(stage.api);
    expect(await shownCells(stage.api)).toEqual(cells);
  }

  it('give a device to one of two users who sign in at the same time', async () => {
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

  it('have one canonical id on all nodes, and every event counts once, when a node is killed', async () => {
    const { projectId, clientKey, experiment } = await stage.experiment();
    const sent = new SignIns(clientKey, experiment, { ...SIZE, conversions: SignIns.CONVERSIONS });
    const sending = sent.send(stage.addresses());
    while (sent.acknowledged.length < VISITORS) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
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

  it('are never answered with 500', () => {
    for (const server of stage.servers) {
      const statuses = server.logLines().map(({ status }) => status);
      expect(statuses.filter((status) => status === 500)).toEqual([]);
    }
  });
});
