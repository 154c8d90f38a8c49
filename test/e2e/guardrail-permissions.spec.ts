import type { Answer } from '../support/client';
import { guardedIn } from '../support/guardrails';
import { Made, useScene } from '../support/scene';

/* Only users who can pause a running experiment can change its guardrails. */

const scene = useScene();

const guarded = guardedIn(scene);

const editor = () => scene.world.people.editor.client;

const read = async ({ path }: Made): Promise<Made> => (await scene.client.get(path)).body as Made;

describe('guardrails of a running experiment', () => {
  const forbidden = [
    403,
    expect.objectContaining({ code: 'ROLE_INSUFFICIENT', role: 'editor', permission: 'experiments:run' }),
  ];

  it.each<[string, (path: string, goal: Made, api_name: string) => Promise<Answer>]>([
    ['PATCH guardrails', (path, { id }) => editor().patch(path, { guardrails: [id] })],
    ['PATCH guardrail_action', (path) => editor().patch(path, { guardrail_action: 'none' })],
    [
      'PATCH with another field that is invalid',
      (path) => editor().patch(path, { guardrail_action: 'none', name: '' }),
    ],
    [
      'PUT',
      async (path, { id }) => editor().put(path, { ...(await editor().get(path)).body, guardrails: [id] }),
    ],
    [
      'PUT definition',
      (_path, goal, api_name) =>
        editor().put(`${scene.project}/definition`, {
          experiments: [{ api_name, guardrails: [goal.api_name] }],
        }),
    ],
  ])('cannot be changed by an editor: %s', async (_what, change) => {
    const [experiment] = await guarded();
    const before = await read(experiment);
    const refused = await change(experiment.path, await scene.make.goal(), experiment.api_name as string);
    expect([refused.status, refused.body]).toEqual(forbidden);
    expect(await read(experiment)).toEqual(before);
  });

  it('cannot be changed back by an editor who reverts a change', async () => {
    const [experiment] = await guarded();
    await scene.client.patch(experiment.path, { guardrail_action: 'none' });
    const [{ id }] = (await scene.client.get(`${scene.project}/audit?per_page=1`)).body;
    const revert = `${scene.project}/audit/${id}/revert`;
    const refused = await editor().post(revert);
    expect([refused.status, refused.body]).toEqual(forbidden);
    expect((await scene.world.people.publisher.client.post(revert)).status).toBe(200);
    expect((await read(experiment)).guardrail_action).toBe('pause');
  });

  it.each<[string, object, object]>([
    ['direction', {}, { direction: 'decrease' }],
    ['counting', {}, { counting: 'every' }],
    ['conversion_window_days', {}, { conversion_window_days: 1 }],
    ['value_cap', { value_type: 'number' }, { value_cap: 5 }],
  ])('cannot be weakened by an editor who changes the goal: %s', async (_field, goalFields, change) => {
    const [experiment, guardrail] = await guarded({}, goalFields);
    const before = await read(guardrail);
    const document = { goals: [{ api_name: guardrail.api_name, ...change }] };
    for (const refused of [
      await editor().patch(guardrail.path, change),
      await editor().put(`${scene.project}/definition`, document),
    ]) {
      expect([refused.status, refused.body]).toEqual(forbidden);
    }
    expect(await read(guardrail)).toEqual(before);
    expect((await scene.world.people.publisher.client.patch(guardrail.path, change)).status).toBe(200);
    const [{ id }] = (await scene.client.get(`${scene.project}/audit?per_page=1`)).body;
    const reverted = await editor().post(`${scene.project}/audit/${id}/revert`);
    expect([reverted.status, reverted.body]).toEqual(forbidden);
    await scene.make.move(experiment, 'pause');
    expect((await editor().post(`${scene.project}/audit/${id}/revert`)).status).toBe(200);
  });

  it.each<[string, object]>([
    ['does not pause', { guardrail_action: 'none' }],
    ['does not run', {}],
  ])('can be given another direction by an editor if the experiment %s', async (what, fields) => {
    const [experiment, guardrail] = await guarded(fields);
    await scene.make.withStatus('running', { goals: [guardrail.id], guardrail_action: 'pause' });
    if (what === 'does not run') {
      await scene.make.move(experiment, 'pause');
    }
    const texts = await editor().patch(guardrail.path, { name: 'Refunds', direction: 'increase' });
    expect(texts.status).toBe(200);
    expect((await editor().patch(guardrail.path, { direction: 'decrease' })).status).toBe(200);
  });

  it('can be renamed and described by an editor', async () => {
    const [, guardrail] = await guarded();
    const { body } = await editor().get(guardrail.path);
    const changed = await editor().put(guardrail.path, {
      ...body,
      name: 'Refunds',
      description: 'Money back',
    });
    expect([changed.status, changed.body.name]).toEqual([200, 'Refunds']);
  });

  it('can be sent back unchanged by an editor, and changed while the experiment is not running', async () => {
    const [experiment] = await guarded();
    const { body } = await editor().get(experiment.path);
    expect((await editor().put(experiment.path, { ...body, description: 'Clearer' })).status).toBe(200);
    await scene.make.move(experiment, 'pause');
    const changed = await editor().patch(experiment.path, { guardrails: [], guardrail_action: 'none' });
    expect([changed.status, changed.body.guardrails]).toEqual([200, []]);
  });
});
