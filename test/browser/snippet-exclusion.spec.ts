import { describeInBrowser } from '../support/browser';
import { forEveryone, LiveProject, LiveSite } from '../support/live-site';
import type { Made } from '../support/scene';
import { until } from '../support/waiting';

/* Exclusion groups in the browser: visitors are in the same experiment as on the server, and in at most one. */

const VISITORS = 20;
const COLOURS = ['rgb(200, 0, 0)', 'rgb(0, 0, 200)'];
const ORIGINAL = 'rgb(0, 0, 0)';

describeInBrowser('experiments in an exclusion group', () => {
  let site: LiveSite;
  let project: LiveProject;
  let experiments: Made[];

  beforeAll(async () => {
    site = await LiveSite.start();
    project = await site.project();
    const { id } = await project.make.of('exclusion-groups');
    experiments = [];
    for (const colour of COLOURS) {
      const fields = { exclusion_group_id: id, exclusion_share: 45 };
      experiments.push(
        await project.make.withStatus('running', {
          ...fields,
          ...forEveryone({ css: `h1 { color: ${colour}; }` }),
        }),
      );
    }
  });
  afterEach(() => site.everybodyLeaves());
  afterAll(() => site.stop());

  it("match the server's decisions for the same visitor", async () => {
    const shown: string[] = [];
    for (let number = 0; number < VISITORS; number += 1) {
      const { page } = await site.visit(project, '/');
      await until(() => page.evaluate("typeof window.gosset?.getVisitorId?.() === 'string'"));
      const [visitor, colour]: [string, string] = await page.evaluate(
        "[window.gosset.getVisitorId(), getComputedStyle(document.querySelector('h1')).color]",
      );
      const answer = await site.api
        .as(null)
        .post(`//v1/decide?client_key=${project.clientKey}`, { user: { id: visitor } });
      expect(answer.status).toBe(200);
      const { body } = answer;
      const decided = (body.experiments as Made[])
        .filter(({ variation }) => variation !== null)
        .map(({ id }) => COLOURS[experiments.findIndex((each) => each.id === id)]);
      expect(decided.length).toBeLessThanOrEqual(1);
      expect([visitor, colour]).toEqual([visitor, decided[0] ?? ORIGINAL]);
      shown.push(colour);
    }
    expect(new Set(shown).size).toBeGreaterThan(1);
  });
});
