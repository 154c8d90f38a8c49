import type { Page } from 'playwright-core';
import type { Person } from '../support/api';
import { describeInBrowser, overflow } from '../support/browser';
import { DIFFICULT_NAMES, useBrowser } from '../support/browser-scene';
import { Cells } from '../support/cells';
import type { Made } from '../support/scene';
import { daysOfMay } from '../support/shared-experiment';

/* An experiment's page in each of its states, in a real browser. */

const TABLET = { width: 820, height: 1180 };
/** An A4 page at 96 pixels per inch. */
const PAPER = { width: 794, height: 1123 };

const STATES = [
  'without data',
  'with a sample ratio mismatch',
  'crowded',
  'paused',
  'archived',
  'archived, for a viewer',
] as const;

describeInBrowser('an experiment page', () => {
  const scene = useBrowser();
  let places: Record<(typeof STATES)[number], { path: string; as: Person }>;

  beforeAll(async () => {
    const { admin, viewer } = scene.world.people;
    const [paused, archived] = [await filled({ name: 'Headline' }), await filled({ name: 'Colour' })];
    places = {
      'without data': { path: (await scene.make.withStatus('running')).path, as: admin },
      'with a sample ratio mismatch': {
        path: (await filled({ name: DIFFICULT_NAMES[1] }, 0.5)).path,
        as: admin,
      },
      crowded: { path: (await crowded()).path, as: admin },
      paused: { path: (await scene.make.move(paused, 'pause')).path, as: admin },
      archived: { path: (await scene.make.move(archived, 'archive')).path, as: admin },
      'archived, for a viewer': { path: archived.path, as: viewer },
    };
  });

  /** @param share number of participants in each other variation, relative to the original */
  async function filled(fields: object, share = 1): Promise<Made> {
    const made = await scene.make.withStatus('running', fields);
    const cells = new Cells(scene.api, made.id);
    for (const day of daysOfMay(14)) {
      for (const [arm, { id: variation }] of (made.variations as { id: number }[]).entries()) {
        cells.entered({ variation, day }, arm === 0 ? 400 : 400 * share);
        for (const [index, { id: goal }] of (made.goals as { id: number }[]).entries()) {
          cells.converted(goal, { variation, day }, { converters: 30 + 3 * ((arm * index) % 7) });
        }
      }
    }
    await cells.store();
    return made;
  }

  async function crowded(): Promise<Made> {
    const names = Array.from({ length: 12 }, (_, index) =>
      `${DIFFICULT_NAMES[index % 4]} ${index}`.slice(-255),
    );
    const goals: number[] = [];
    // Five goals cover all difficult names. Further goals would only repeat them.
    for (const name of names.slice(0, 5)) {
      goals.push((await scene.make.goal({ name })).id);
    }
    const variations = names.slice(0, 8).map((name) => ({ name }));
    return filled({ name: DIFFICULT_NAMES[0], goals, variations });
  }

  /** Figures of the traffic split that wrap onto more than one line. */
  const brokenFigures = (page: Page): Promise<string[]> =>
    page.evaluate(
      "[...document.querySelectorAll('.share')].filter((share) => share.getBoundingClientRect().height > 40).map(({ textContent }) => textContent)",
    );

  it.each(STATES)('in the state "%s" fits the window and is accessible', async (state) => {
    const { path, as } = places[state];
    const visit = await scene.visitAs(as, path);
    await scene.expectFits(visit);
    await visit.page.setViewportSize(TABLET);
    expect(await overflow(visit.page)).toBe(0);
    expect(await brokenFigures(visit.page)).toEqual([]);
  });

  it.each(STATES)('in the state "%s" fits a printed page, without its buttons', async (state) => {
    const { path, as } = places[state];
    const { page } = await scene.visitAs(as, path, { viewport: PAPER });
    await page.emulateMedia({ media: 'print' });
    expect(await overflow(page)).toBe(0);
    expect(await page.locator('main').getByRole('button').filter({ visible: true }).count()).toBe(0);
  });
});
