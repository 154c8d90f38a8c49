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

  // Clients resolve `..` before they send a request, even if it is percent-encoded.
  it.each(['..', '%2e%2e', '.', '%2E'])('that ends in %s deletes nothing', async (id) => {
    const site = await VisitorSite.create(scene);
    await site.make.move(site.experiments[0], 'archive');
    await site.make.move(site.experiments[1], 'archive');
    const { pathname } = new URL(`http://localhost/api${site.path}/visitors/${id}`);
    for (const query of ['', '?dry_run=1']) {
      const { status, body } = await scene.client.delete(`/${pathname}${query}`);
      expect([status, body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
    }
    expect((await scene.client.get(site.path)).status).toBe(200);
  });

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
