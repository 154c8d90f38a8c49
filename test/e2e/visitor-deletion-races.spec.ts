import { randomUUID } from 'node:crypto';
import { Attribution } from '../../src/events/attribution-steps';
import { EventLog } from '../../src/events/event-log';
import { ExclusionStore } from '../../src/events/exclusions/exclusion.store';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { cellsOf, figuresOf } from '../support/ledger';
import { identify } from '../support/linked-visitors';
import { tablesWith, VisitorSite } from '../support/visitor-site';

/* Visitors are deleted in two processes while they send events, are linked and are attributed. */

const scene = {} as LoggedScene;
const ROUNDS = 6;

onBothEventLogs(scene, () =>
  describe('a deletion during concurrent work', () => {
    it('leaves no data of the visitor, and the results match the stored events', async () => {
      const site = await VisitorSite.create(scene);
      const other = await scene.api.sibling(scene.log.environment);
      const attributors = [scene.api, other].map(({ app }) => app.get(Attribution, { strict: false }));
      for (let round = 0; round < ROUNDS; round += 1) {
        const [visitor, device] = [randomUUID(), randomUUID()];
        await site.visit(visitor);
        const later = Array.from({ length: 5 }, (_, number) => site.send(site.messagesOf(visitor, number)));
        const [deleted] = await Promise.all([
          site.delete(visitor),
          ...later,
          site.send([identify(device, visitor), ...site.messagesOf(device)]),
          ...attributors.map((attributor) => attributor.drain()),
          site.visit(`other-${round}`, round),
        ]);
        expect(deleted.status).toBe(204);
        expect(await tablesWith(scene, site, visitor)).toEqual([]);
      }
      await other.close();
      await site.shown();
      expect((await site.cells()).map(figuresOf).sort()).toEqual(cellsOf(await scene.log.stored(site.id)));
    });

    it('causes a batch to be rejected that was validated before the deletion and is stored after it', async () => {
      const site = await VisitorSite.create(scene);
      const visitor = randomUUID();
      await site.visit(visitor);
      const log = scene.api.app.get(EventLog, { strict: false });
      const append = log.append.bind(log);
      const held = jest.spyOn(log, 'append').mockImplementationOnce(async (...given) => {
        await site.remove(visitor);
        return append(...given);
      });
      const late = await site.send(site.messagesOf(visitor, 2));
      held.mockRestore();
      expect(late.body).toMatchObject({ accepted: 0, rejected: 4 });
      expect(await tablesWith(scene, site, visitor)).toEqual([]);
    });

    it('leaves no data of a visitor that an exclusion found before the deletion', async () => {
      const site = await VisitorSite.create(scene);
      const [visitor, other] = [randomUUID(), randomUUID()];
      await site.visit(visitor);
      await site.visit(other);
      const store = scene.api.app.get(ExclusionStore, { strict: false });
      const find = store.exposedAmong.bind(store);
      const held = jest.spyOn(store, 'exposedAmong').mockImplementationOnce(async (...given) => {
        const found = await find(...given);
        await site.remove(visitor);
        return found;
      });
      const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
      const scope = { projectId: site.id, experimentId: null, criteria: { ids: [visitor, other] } };
      expect(await exclusions.exclude(scope, 2)).toMatchObject({ visitors: 1 });
      held.mockRestore();
      expect(await tablesWith(scene, site, visitor)).toEqual([]);
      expect(await site.participants()).toEqual([0, 0]);
    });
  }),
);
