import { randomUUID } from 'node:crypto';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { type TrashKey, TrashService } from '../../src/projects/trash/trash.service';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll } from '../support/events';
import { tablesWith, VisitorSite } from '../support/visitor-site';

/* Visitors who were excluded from a purged record: their ids are deleted as well. */

const scene = {} as LoggedScene;

onBothEventLogs(scene, () =>
  describe('excluded visitors', () => {
    let site: VisitorSite;
    let visitors: string[];

    beforeEach(async () => {
      site = await VisitorSite.create(scene);
      visitors = [randomUUID(), randomUUID()];
      await site.collect(visitors.flatMap((visitor) => site.messagesOf(visitor)));
      await attributeAll(scene.api);
    });

    const exclude = async (experimentId: number | null, id: string): Promise<void> => {
      const scope = { projectId: site.id, experimentId, criteria: { ids: [id] } };
      await scene.api.app.get(ExclusionsService, { strict: false }).exclude(scope, 1);
    };

    /** Deletes the events of a visitor as retention does. */
    const removeEvents = (id: string): Promise<void> =>
      scene.api.database.transaction((tx) => tx.query('DELETE FROM events WHERE visitor_id = ?', [id]));

    async function purge(key: TrashKey, path: string): Promise<void> {
      expect((await scene.client.delete(path)).status).toBe(204);
      expect(await scene.api.app.get(TrashService, { strict: false }).purge(key, 'admin')).toBeNull();
    }

    const excluded = (): Promise<unknown[]> =>
      scene.api.database.read.query(
        'SELECT visitor_id, experiment_id FROM excluded_visitors WHERE project_id = ? ORDER BY experiment_id',
        [site.id],
      );

    it('of a purged project are deleted, even if they have no events', async () => {
      const [first, second] = visitors;
      await exclude(null, first);
      await exclude(site.experiments[0].id, second);
      await removeEvents(first);
      for (const experiment of site.experiments) {
        await site.make.move(experiment, 'pause');
      }
      await purge({ type: 'project', id: site.id }, site.path);
      expect([...(await tablesWith(scene, site, first)), ...(await tablesWith(scene, site, second))]).toEqual(
        [],
      );
    });

    it('of a purged experiment are deleted, but excluded visitors of other experiments are kept', async () => {
      const [gone, kept] = site.experiments;
      const [first, second] = visitors;
      await exclude(gone.id, first);
      await exclude(kept.id, first);
      await exclude(null, second);
      await purge({ type: 'experiment', id: gone.id }, gone.path);
      expect(await excluded()).toEqual([
        { visitor_id: second, experiment_id: null },
        { visitor_id: first, experiment_id: kept.id },
      ]);
    });
  }),
);
