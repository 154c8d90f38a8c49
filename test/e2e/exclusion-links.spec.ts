import { ExclusionsService } from '../../src/events/exclusions/exclusions.service';
import { RebuildService } from '../../src/events/rebuild.service';
import { attributeAll } from '../support/events';
import { type LoggedScene, onBothEventLogs } from '../support/event-logs';
import { identify } from '../support/linked-visitors';
import { VisitorSite } from '../support/visitor-site';

/* Links of counted visitors to excluded visitors, who are then excluded as well. */

const scene = {} as LoggedScene;

onBothEventLogs(scene, () =>
  describe('a link to an excluded visitor', () => {
    it.each(['first', 'last'])(
      'updates the time range of the results if the visitor was the %s',
      async (end) => {
        const site = await VisitorSite.create(scene);
        for (const visitor of ['first', 'other', 'excluded', 'last']) {
          await site.visit(visitor);
        }
        await attributeAll(scene.api);
        const criteria = { ids: ['excluded'] };
        const exclusions = scene.api.app.get(ExclusionsService, { strict: false });
        await exclusions.exclude({ projectId: site.id, experimentId: null, criteria }, 1);
        await site.collect([identify(end, 'excluded')]);
        const linked = await site.shown();
        expect(linked.infos).toEqual(
          site.experiments.map(() => expect.objectContaining({ participants: 2, recomputing: false })),
        );
        await scene.api.app.get(RebuildService, { strict: false }).rebuild({ projectId: site.id });
        expect(await site.shown()).toEqual(linked);
      },
    );
  }),
);
