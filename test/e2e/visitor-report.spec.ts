import { randomUUID } from 'node:crypto';
import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { attributeAll, conversion, exposure, type MessageFields } from '../support/events';
import { identify } from '../support/linked-visitors';
import type { Made } from '../support/scene';
import { VisitorSite } from '../support/visitor-site';

/* The stored data of a visitor, and the reasons why events count or not. */

const scene = {} as LoggedScene;
const MINUTE = 60_000;
const DAY_MICROS = 86_400_000_000;

let site: VisitorSite;
let sale: Made;
let lead: Made;
let experiment: Made;

const ago = (minutes: number): MessageFields => ({
  timestamp: new Date(Date.now() - minutes * MINUTE).toISOString(),
});

const viewed = (visitor: string, arm: number, minutes: number): MessageFields =>
  exposure(visitor, experiment.id, experiment.variations[arm].id as number, ago(minutes));

async function report(visitor: string): Promise<Made> {
  const answer = await scene.client.get(site.addressOf(visitor));
  expect(answer.status).toBe(200);
  return answer.body as Made;
}

/** For each event, oldest first, `counted` or the reason why the event does not count. */
const reasonsOf = ({ events }: Made): string[] =>
  (events as Made[]).map(({ outcomes }) =>
    (outcomes as Made[]).map(({ reason }) => String(reason ?? 'counted')).join(),
  );

onBothEventLogs(scene, () =>
  describe('the visitor report', () => {
    beforeAll(async () => {
      site = await VisitorSite.create(scene);
      sale = await site.make.goal({ name: 'Order', value_type: 'revenue', conversion_window_days: 30 });
      lead = await site.make.goal({ name: 'Lead' });
      experiment = await site.make.withStatus('running', { name: 'Green button', goals: [sale.id] });
      await scene.api.database.transaction(async (tx) => {
        const earlier = 'SET started_at = started_at - ?';
        await tx.query(`UPDATE experiment_runs ${earlier} WHERE experiment_id = ?`, [
          DAY_MICROS,
          experiment.id,
        ]);
        await tx.query('UPDATE project_versions SET version = version + 1');
      });
    });

    it('shows the variation of the visitor, and why each event counts or not', async () => {
      const visitor = randomUUID();
      await site.collect([
        conversion(visitor, 'order', 1, ago(2_000)),
        conversion(visitor, 'order', 2, ago(60)),
        viewed(visitor, 1, 50),
        conversion(visitor, 'order', 3.5, ago(40)),
        conversion(visitor, 'lead', undefined, ago(35)),
        viewed(visitor, 1, 30),
        viewed(visitor, 0, 20),
      ]);
      expect(new Set(reasonsOf(await report(visitor)))).toEqual(new Set(['waiting']));
      await attributeAll(scene.api);
      const shown = await report(visitor);
      expect(shown.ids).toEqual([{ id: visitor, linked_to: null, linked_at: null }]);
      expect(shown.experiments).toEqual([
        {
          experiment_id: experiment.id,
          experiment_name: 'Green button',
          status: 'running',
          variation_id: experiment.variations[1].id,
          variation_name: 'Variation',
          entered_at: shown.events[2].occurred_at,
          device_type: 'other',
          phase: 1,
          is_counted: true,
          reason: null,
          is_crossover: true,
        },
      ]);
      expect(reasonsOf(shown)).toEqual([
        'not_running',
        'before_exposure',
        'counted',
        'counted',
        'goal_not_attached',
        'same_variation',
        'crossover',
      ]);
      expect(shown.events[3]).toMatchObject({
        visitor_id: visitor,
        type: 'conversion',
        experiment_id: null,
        goal_id: sale.id,
        goal_name: 'Order',
        value: 3.5,
      });
      expect(shown.events[4]).toMatchObject({ goal_id: lead.id, value: null });
    });

    it('leaves open how a result treats the visitor once the experiment has lost events', async () => {
      const visitor = randomUUID();
      await site.collect([conversion(visitor, 'order', 2, ago(60)), viewed(visitor, 1, 50)]);
      await attributeAll(scene.api);
      const [later] = (await report(visitor)).experiments as Made[];
      const setRemoved = (until: number | null): Promise<unknown> =>
        scene.api.database.transaction((tx) =>
          tx.query('UPDATE experiment_results SET events_removed_until = ? WHERE experiment_id = ?', [
            until,
            experiment.id,
          ]),
        );
      await setRemoved((Date.now() - 55 * MINUTE) * 1_000);
      const shown = await report(visitor);
      await setRemoved(null);
      expect(shown.experiments).toEqual([
        {
          ...later,
          variation_id: null,
          variation_name: null,
          entered_at: null,
          device_type: null,
          phase: null,
          is_counted: null,
          reason: 'events_removed',
          is_crossover: null,
        },
      ]);
      const unknown = { experiment_id: experiment.id, is_counted: null, reason: 'events_removed' };
      expect((shown.events as Made[]).map(({ outcomes }) => outcomes)).toEqual([[unknown], [unknown]]);
    });

    it('marks conversions after the conversion window', async () => {
      const visitor = randomUUID();
      await site.collect([viewed(visitor, 0, 1_200), conversion(visitor, 'order', 1)]);
      await attributeAll(scene.api);
      await scene.api.database.transaction((tx) =>
        tx.query('UPDATE experiment_runs SET started_at = started_at - ? WHERE experiment_id = ?', [
          40 * DAY_MICROS,
          experiment.id,
        ]),
      );
      await scene.log.change(
        { occurred_at: `occurred_at - ${35 * DAY_MICROS}` },
        `visitor_id = '${visitor}' AND experiment_id = ${experiment.id}`,
      );
      expect(reasonsOf(await report(visitor))).toEqual(['counted', 'after_window']);
    });

    it('is the same under every linked id, and shows exclusions', async () => {
      const [device, user] = [randomUUID(), randomUUID()];
      const bought = conversion(device, 'order', 1, ago(5));
      await site.collect([
        viewed(device, 0, 10),
        bought,
        { ...bought, anonymousId: user },
        identify(device, user),
      ]);
      await attributeAll(scene.api);
      const shown = await report(device);
      expect(await report(user)).toEqual(shown);
      expect(shown.ids).toEqual(
        [
          { id: device, linked_to: user, linked_at: expect.any(String) },
          { id: user, linked_to: null, linked_at: null },
        ].sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
      expect(reasonsOf(shown).sort()).toEqual(['counted', 'counted', 'same_event']);
      const scope = { projectId: site.id, experimentId: experiment.id, criteria: { ids: [user] } };
      const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
      const { id } = await exclusions.exclude(scope, 1);
      const excluded = await report(device);
      expect(excluded.experiments).toMatchObject([{ is_counted: false, reason: 'excluded' }]);
      expect(excluded.exclusions).toMatchObject([{ exclusion_id: id, visitor_id: device }]);
      expect(new Set(reasonsOf(excluded))).toEqual(new Set(['excluded']));
      await exclusions.include(id);
      expect(await report(user)).toEqual(shown);
    });

    it('agrees with the results', async () => {
      const ids = Array.from({ length: 8 }, () => randomUUID());
      const own = await site.make.withStatus('running', { goals: [sale.id] });
      for (const [index, id] of ids.entries()) {
        const arm = own.variations[index % 2].id as number;
        await site.collect([
          ...(index % 4 === 3 ? [] : [exposure(id, own.id, arm)]),
          conversion(id, 'order', 5),
          ...(index % 3 === 0 ? [exposure(id, own.id, own.variations[0].id as number)] : []),
          conversion(id, 'order', 5),
        ]);
      }
      await attributeAll(scene.api);
      const info = (await scene.client.get(`${own.path}/results/info`)).body;
      const [goal] = (await scene.client.get(`${own.path}/results`)).body as Made[];
      const rows = Object.values<Made>(goal.variationStatistics);
      const reports = await Promise.all(ids.map(report));
      const inOwn = reports.flatMap(({ experiments }) =>
        (experiments as Made[]).filter(({ experiment_id }) => experiment_id === own.id),
      );
      expect(inOwn.filter(({ is_counted }) => is_counted)).toHaveLength(info.participants as number);
      expect(inOwn.filter(({ is_crossover }) => is_crossover)).toHaveLength(info.crossovers as number);
      const counted = reports.flatMap(({ events }) =>
        (events as Made[]).filter(({ type, outcomes }) => type === 'conversion' && outcomes[0]?.is_counted),
      );
      expect(counted.reduce((sum, { value }) => sum + Number(value), 0)).toBe(
        rows.reduce((sum, { totalValue }) => sum + Number(totalValue), 0),
      );
    });

    it('returns 404 for unknown visitors, and for visitors of other projects', async () => {
      expect((await scene.client.get(site.addressOf('unknown'))).status).toBe(404);
      expect((await scene.client.get(site.addressOf('x'.repeat(10_000)))).status).toBe(404);
      await site.visit('here');
      const { other } = scene;
      expect((await other.client.get(site.addressOf('here'))).status).toBe(404);
      expect((await other.client.get(`${other.project}/visitors/here`)).status).toBe(404);
      expect((await scene.world.people.viewer.client.get(site.addressOf('here'))).status).toBe(200);
    });
  }),
);
