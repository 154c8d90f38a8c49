import { useScene } from '../support/scene';
import { JSON_ONLY, sharedExperiment, visit } from '../support/shared-experiment';

/* Share links that do not exist or no longer exist. */

const scene = useScene();
const get = (address: string, headers?: Record<string, string>) => visit(scene, address, headers);

describe('an unknown share link', () => {
  const TOKEN = 'A'.repeat(43);

  it.each([
    ['unknown', TOKEN],
    ['too short', 'A'.repeat(42)],
    ['too long', 'A'.repeat(44)],
    ['made of other characters', `${'A'.repeat(42)}%27`],
    ['a percent sign', '%25'],
  ])('returns 404 for a token that is %s', async (_, token) => {
    const page = await get(`//share/${token}`);
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Results not found');
    expect(page.headers['content-security-policy']).toContain("style-src 'sha256-");
    expect(page.headers['x-robots-tag']).toContain('noindex');
    const json = await get(`//share/${token}`, JSON_ONLY);
    expect([json.status, json.body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });

  it('returns 404 for a token in another case', async () => {
    const { address } = await sharedExperiment(scene);
    const [, token = ''] = address.split('//share/');
    const inverted = [...token].map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    expect((await get(`//share/${inverted.join('')}`)).status).toBe(404);
  });

  it('returns 404 while the experiment or its project is in the trash', async () => {
    const experiment = await sharedExperiment(scene);
    await scene.client.delete(experiment.path);
    expect((await get(experiment.address)).status).toBe(404);
    expect((await get(experiment.address, JSON_ONLY)).body).toEqual({
      message: 'Not Found',
      code: 'NOT_FOUND',
    });

    const [{ id: team }] = (await scene.client.get('/teams')).body;
    const project = `/projects/${await scene.api.project(team, 'Short-lived')}`;
    const { body } = await scene.client.post(`${project}/experiments`, { name: 'In it' });
    const info = await scene.client.get(`${project}/experiments/${body.id}/results/info`);
    const address = `//share/${info.body.share_token}`;
    expect((await get(address)).status).toBe(200);
    expect((await scene.client.delete(project)).status).toBe(204);
    expect((await get(address)).status).toBe(404);
  });
});
