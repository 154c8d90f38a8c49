import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { config, experiment, ORIGINAL, VARIATION, type WrittenConfig } from '../support/snippet-config';
import { BLACK, colour, RED, type SentMessage, useSnippetSite } from '../support/snippet-site';
import { storedRecord } from '../support/stored-visitor';
import { until } from '../support/waiting';

/* Visitors who return after the shares of a running experiment have changed. */

const LATER = 5003;
const BLUE = 'rgb(0, 0, 255)';
const isExposure = ({ event }: SentMessage): boolean => event === 'Experiment Viewed';

/** A publication whose visitors all see the last of these variations. */
function published(phase: number, ...shown: number[]): Omit<WrittenConfig, 'host'> {
  const colours = new Map([
    [VARIATION, RED],
    [LATER, BLUE],
  ]);
  const css = (id: number) => (colours.has(id) ? `h1{color:${colours.get(id)}}` : undefined);
  const ranges = shown.map((_, index): [number, number] => (index === shown.length - 1 ? [0, 1] : [0, 0]));
  return config({
    experiments: [
      experiment({
        phase,
        rule: { ...experiment().rule, ranges, variations: shown },
        variations: shown.map((id) => ({ id, css: css(id) })),
      }),
    ],
  });
}

describeInBrowser('returning visitors, when the shares have changed', () => {
  const site = useSnippetSite();

  /** The variations and phases of all exposures that the server has received. */
  const received = async (page: Page): Promise<unknown[]> =>
    (await site.delivered(page))
      .filter(isExposure)
      .map(({ properties }) => [properties.variation_id, properties.phase]);
  const reload = async (page: Page): Promise<string> => {
    await page.reload();
    return colour(page);
  };

  it('keep their variation, and enter in the phase in which they were assigned', async () => {
    site.collector = { status: 403 };
    site.publish(published(1, ORIGINAL, VARIATION));
    const { page } = await site.visit('/');
    await until(() => site.deliveries.length === 1);
    expect(await received(page)).toEqual([]);
    site.collector = { status: 200 };
    site.publish(published(2, VARIATION, ORIGINAL));
    expect(await reload(page)).toBe(RED);
    expect(await received(page)).toEqual([[VARIATION, 1]]);
  });

  it('are counted as crossovers if their variation has been removed', async () => {
    site.publish(published(1, ORIGINAL, VARIATION));
    const { page } = await site.visit('/');
    expect(await received(page)).toEqual([[VARIATION, 1]]);
    site.publish(published(2, ORIGINAL, LATER));
    expect(await reload(page)).toBe(BLUE);
    expect(await received(page)).toEqual([
      [VARIATION, 1],
      [LATER, 2],
    ]);
    await until(async () => (await storedRecord(page))?.exposed.length === 1);
    expect((await storedRecord(page))?.assignments).toEqual({ 'exp-1001': String(LATER) });
    site.publish(published(3, LATER, ORIGINAL));
    expect(await reload(page)).toBe(BLUE);
    expect(await received(page)).toHaveLength(2);
  });

  it('keep their variation after a page with an earlier script, which does not have it', async () => {
    site.publish(published(2, ORIGINAL, LATER));
    const { page } = await site.visit('/');
    await site.delivered(page);
    site.publish(published(1, VARIATION, ORIGINAL));
    expect(await reload(page)).toBe(BLACK);
    const exposures = [
      [LATER, 2],
      [ORIGINAL, 1],
    ];
    expect(await received(page)).toEqual(exposures);
    site.publish(published(2, ORIGINAL, LATER));
    expect(await reload(page)).toBe(BLUE);
    expect(await received(page)).toEqual(exposures);
  });
});
