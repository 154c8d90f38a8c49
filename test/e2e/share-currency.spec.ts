import { Cells } from '../support/cells';
import { useScene } from '../support/scene';
import { JSON_ONLY, PAGE, sharedExperiment, visit } from '../support/shared-experiment';

/* Revenue amounts on the share page of an experiment. */

const scene = useScene();

describe('the ETag of shared results', () => {
  it('differs between public URLs, because the page contains the URL', async () => {
    const { address } = await sharedExperiment(scene);
    const sibling = await scene.api.sibling({ PUBLIC_URL: 'https://other.example.com' });
    const tags = await Promise.all(
      [scene.api, sibling].map(async (api) => (await api.as(null).get(address, PAGE)).headers.etag),
    );
    expect(tags).toEqual([expect.any(String), expect.any(String)]);
    expect(tags[0]).not.toBe(tags[1]);
    await sibling.close();
  });
});

describe('the currency of the project', () => {
  it('is shown with revenue as soon as it is set, and does not change the JSON', async () => {
    const goals = [
      await scene.make.goal({ name: 'Paid', value_type: 'revenue' }),
      await scene.make.goal({ name: 'Points', value_type: 'number' }),
    ];
    const experiment = await sharedExperiment(scene, { goals: goals.map(({ id }) => id) });
    const cells = new Cells(scene.api, experiment.id);
    for (const { id } of experiment.variations) {
      const place = { variation: id as number, day: '2026-05-01' };
      cells.entered(place, 100);
      for (const goal of goals) {
        const spent = { value: 50_0000n, valueSquared: 500_0000n ** 2n };
        cells.converted(goal.id, place, { converters: 10, ...spent });
      }
    }
    await cells.store();
    const get = (address: string, headers?: Record<string, string>) => visit(scene, address, headers);
    const before = await get(experiment.address);
    const json = (await get(experiment.address, JSON_ONLY)).body;
    expect(before.text).not.toContain('EUR');
    const changed = await scene.client.patch(`${scene.make.project}/settings`, { currency: 'EUR' });
    expect(changed.status).toBe(200);
    const { text } = await get(experiment.address, { ...PAGE, 'if-none-match': before.headers.etag ?? '' });
    expect(text).toContain('Value per participant, original 0.50\u00a0EUR');
    expect(text).toContain('Value per participant in EUR over time');
    expect(text).toMatch(/Points<\/bdi><\/a><span class="range">Value per participant, original 0\.50</);
    expect((await get(experiment.address, JSON_ONLY)).body).toEqual(json);
    await scene.client.patch(`${scene.make.project}/settings`, { currency: null });
  });
});
