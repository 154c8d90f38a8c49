import { useScene } from '../support/scene';
import { VisitorSite } from '../support/visitor-site';

/* Visitor ids in URLs. */

const scene = useScene();

describe('the URL of a visitor', () => {
  it('can contain an id with any allowed character', async () => {
    const site = await VisitorSite.create(scene);
    for (const id of [
      'a/b',
      'a%2Fb',
      'a b ',
      '../settings',
      '?#&=+;',
      '"\'<>\\',
      '~'.repeat(64),
      '%'.repeat(64),
    ]) {
      await site.visit(id);
      await site.remove(id);
      expect((await site.delete(id)).status).toBe(404);
    }
    expect(await site.participants()).toEqual([0, 0]);
  });

  it.each(['unknown', 'x'.repeat(65), 'x'.repeat(999), 'x'.repeat(10_000), 'é', '\u0000', '\n', '%'])(
    'returns 404 for an unknown or impossible id (%#)',
    async (id) => {
      const site = await VisitorSite.create(scene);
      expect((await site.delete(id)).status).toBe(404);
    },
  );

  it('returns a client error if it is malformed', async () => {
    const site = await VisitorSite.create(scene);
    for (const end of ['', '%', '%ff', '%E0%A4']) {
      const { statusCode } = await scene.api.app.inject({
        method: 'DELETE',
        url: `/api${site.path}/visitors/${end}`,
        headers: { authorization: `Bearer ${scene.world.people.admin.token}` },
      });
      expect([400, 404, 405]).toContain(statusCode);
    }
  });
});
