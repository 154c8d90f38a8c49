import { PublicationsService } from '../../src/publishing/publications.service';
import { anotherProject, errorsOf, Made, Maker, refusedPaths, useScene } from '../support/scene';

/* The setting `push_to` in the API and in the script. */

const scene = useScene();
const settings = (make: Maker): string => `${make.project}/settings`;
const set = (make: Maker, push_to: unknown) => scene.client.patch(settings(make), { push_to });

interface Told {
  targets: string | undefined;
  names: boolean;
}

/** The setting in the live script, and whether the script contains the api_name of the variation. */
async function told(make: Maker, experiment: Made): Promise<Told> {
  const { client_key } = (await scene.client.get(make.project)).body as Made;
  const { text } = await scene.client.get(`//s/${client_key as string}.js`);
  const config = text.slice(text.lastIndexOf('return start})()('));
  const [, targets] = /pushTo:(\[[^\]]*\])/.exec(config) ?? [];
  return { targets, names: config.includes(`apiName:"${experiment.variations[1].api_name}"`) };
}

describe('push_to', () => {
  it('is empty for new projects, and keeps the order of its values', async () => {
    const make = await anotherProject(scene);
    expect((await scene.client.get(settings(make))).body.push_to).toEqual([]);
    const changed = await set(make, ['gtag', 'dataLayer']);
    expect([changed.status, changed.body.push_to]).toEqual([200, ['gtag', 'dataLayer']]);
    const { body, headers } = await scene.client.get(settings(make));
    expect(body.push_to).toEqual(['gtag', 'dataLayer']);
    const repeated = await set(make, ['gtag', 'dataLayer']);
    expect(repeated.headers.etag).toBe(headers.etag);
    expect((await set(make, ['analytics', 'gtag', 'dataLayer'])).body.push_to).toHaveLength(3);
    expect((await set(make, null)).body.push_to).toEqual([]);
  });

  it.each([
    ['dataLayer', ['push_to']],
    [{}, ['push_to']],
    [0, ['push_to']],
    [['dataLayer', 'datalayer', 'dataLayer', null, 1, 'gtag\ndataLayer'], ['push_to']],
    [
      ['gtag', 'datalayer', 'gtag'],
      ['push_to.1', 'push_to.2'],
    ],
    [['analytics', null], ['push_to.1']],
    [['gtag\ndataLayer'], ['push_to.0']],
  ])('rejects %j', async (value, paths) => {
    expect(refusedPaths(await set(scene.make, value))).toEqual(paths);
    expect((await scene.client.get(settings(scene.make))).body.push_to).toEqual([]);
  });

  it('reports the allowed values', async () => {
    expect(errorsOf(await set(scene.make, ['ga4']))).toEqual({
      'push_to.0': ['The target must be one of: dataLayer, gtag, analytics.'],
    });
  });

  it('can be set by publishers, not by editors', async () => {
    const { editor, publisher } = scene.world.people;
    const body = { push_to: ['gtag'] };
    expect((await editor.client.patch(settings(scene.make), body)).status).toBe(403);
    expect((await publisher.client.patch(settings(scene.make), body)).status).toBe(200);
    await set(scene.make, []);
  });

  it('is enabled and disabled with the next publication', async () => {
    const make = await anotherProject(scene);
    const experiment = await make.withStatus('running');
    const projectId = make.projectId;
    const publications = scene.api.app.get(PublicationsService, { strict: false });
    const hasEdits = () => publications.hasUnpublishedEdits(projectId, experiment.id);
    await set(make, ['dataLayer', 'analytics']);
    expect([await told(make, experiment), await hasEdits()]).toEqual([
      { targets: undefined, names: false },
      true,
    ]);
    await scene.client.patch(`${experiment.path}/publish`);
    expect([await told(make, experiment), await hasEdits()]).toEqual([
      { targets: '["dataLayer","analytics"]', names: true },
      false,
    ]);
    await set(make, ['gtag']);
    const another = await make.withStatus('running', { name: 'Another' });
    expect((await told(make, another)).targets).toBe('["gtag"]');
    await set(make, []);
    await make.move(another, 'pause');
    expect(await told(make, experiment)).toEqual({ targets: undefined, names: false });
    await publications.rollBack(projectId, 2, 'admin');
    expect(await told(make, experiment)).toEqual({ targets: '["dataLayer","analytics"]', names: true });
  });
});
