import { randomUUID } from 'node:crypto';
import { Attribution } from '../../src/events/attribution-steps';
import { RebuildService } from '../../src/events/rebuild.service';
import { MAX_STEP_EVENTS } from '../../src/events/stored-events.store';
import { MainTestLog } from '../support/event-logs';
import { attributeAll } from '../support/events';
import { useScene } from '../support/scene';
import { VisitorSite } from '../support/visitor-site';

/* Visitors with so many events that one step must not read those of all of them. */

const scene = useScene();
const VISITORS = ['ann', 'ben', 'cid'];

describe('a step', () => {
  it('takes fewer visitors if they have many events, and all steps together count everybody', async () => {
    const site = await VisitorSite.create(scene);
    const log = new MainTestLog(scene.api);
    for (const visitor of VISITORS) {
      const events = Array.from({ length: MAX_STEP_EVENTS / 2 }, () => ({
        visitor_id: visitor,
        event_id: randomUUID(),
      }));
      await log.fill(site.id, events);
      await site.visit(visitor);
    }
    const attribution = scene.api.app.get(Attribution, { strict: false });
    expect(await attribution.step(null)).toMatchObject({ visitor_id: 'ann' });
    const { cells, infos } = await site.shown();
    expect(infos).toMatchObject([{ participants: VISITORS.length }, { participants: VISITORS.length }]);
    const batches: number[] = [];
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await rebuilds.rebuild({ projectId: site.id }, (done) => batches.push(done));
    expect(batches.length).toBeGreaterThan(1);
    await attributeAll(scene.api);
    expect(await site.cells()).toEqual(cells);
  });
});
