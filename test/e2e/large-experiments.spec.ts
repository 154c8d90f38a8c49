import { Made, useScene } from '../support/scene';

const CODE = `/*${'x'.repeat(256 * 1024 - 4)}*/`;
const VARIATIONS = 34;

describe('an experiment with more code than fits in one statement', () => {
  const scene = useScene();
  let experiment: Made;

  beforeAll(async () => {
    experiment = await scene.make.ready({ js: CODE, reset_js: CODE, css: CODE, variations: [] });
    for (let index = 0; index < VARIATIONS; index += 1) {
      await scene.make.variation(experiment, { name: `V${index}`, js: CODE, css: CODE });
    }
  });

  it('is returned completely', async () => {
    const { status, body } = await scene.client.get(experiment.path);
    expect([status, body.variations.length]).toEqual([200, VARIATIONS]);
    expect(body.variations.every(({ js, css }: Made) => js === CODE && css === CODE)).toBe(true);
  });

  it('is updated, started and paused', async () => {
    expect((await scene.client.patch(experiment.path, { name: 'Large' })).status).toBe(200);
    await scene.make.move(experiment, 'running');
    expect((await scene.make.move(experiment, 'pause')).status).toBe('pause');
  });

  it('is cloned and deleted', async () => {
    const { status, body } = await scene.client.post(`${experiment.path}/clone`);
    expect([status, body.variations.length]).toEqual([201, VARIATIONS]);
    const names = body.variations.map(({ name }: Made) => name);
    expect(names).toEqual(Array.from({ length: VARIATIONS }, (_, index) => `V${index}`));
    expect(body.variations.every(({ js, css }: Made) => js === CODE && css === CODE)).toBe(true);
    expect((await scene.client.delete(`${scene.project}/experiments/${body.id}`)).status).toBe(204);
  });
});
