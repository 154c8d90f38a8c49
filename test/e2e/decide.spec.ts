import { addEnvironment, nameOf, newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';

/* POST /v1/decide: which variations visitors get, and why. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const decide = async (body: object, query = '') => {
  const answer = await site.post(`/v1/decide${query}`, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
};

const edit = async (path: string, body: object): Promise<void> => {
  expect((await scene.client.patch(path, body)).status).toBe(200);
};

const publish = async (experiment: Made): Promise<void> => {
  const { status, text } = await scene.client.patch(`${experiment.path}/publish`);
  expect([status, text]).toEqual([200, expect.any(String)]);
};

describe('a visitor', () => {
  it('gets a variation of each live experiment, the same every time', async () => {
    const [first, second] = [await running(site), await running(site, 3, { api_name: 'second' })];
    await site.make.ready();
    const answer = await decide({ user: { id: 'visitor-1' } });
    expect(answer).toEqual({
      revision: 2,
      user: {
        id: 'visitor-1',
        bucketing: { [first.id]: expect.any(Number), [second.id]: expect.any(Number) },
        phases: { [first.id]: 1, [second.id]: 1 },
      },
      recorded: true,
      experiments: [first, second].map((experiment) => {
        const id = answer.user.bucketing[experiment.id] as number;
        const variation = { id, api_name: nameOf(experiment, id) };
        return { id: experiment.id, api_name: experiment.api_name, variation, reason: 'assigned' };
      }),
    });
    expect(await decide({ user: { id: 'visitor-1' } })).toEqual(answer);
  });

  it('without an id gets a new UUIDv7 each time', async () => {
    const experiment = await running(site);
    const answers = [await decide({}), await decide({ user: {} }), await decide({ user: { id: null } })];
    const ids = answers.map(({ user }) => user.id as string);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    }
    const known = (await storedEvents(scene.api)).filter((event) => event.experiment_id === experiment.id);
    expect(known.map(({ visitor_id }) => visitor_id).sort()).toEqual(ids.sort());
  });

  it.each(['x', ' ', '~', 'a b', 'x'.repeat(64), 'trailing  '])('can have the id %j', async (id) => {
    await running(site);
    expect((await decide({ user: { id } })).user.id).toBe(id);
  });

  it('keeps its variation when traffic, shares and audiences change', async () => {
    const experiment = await running(site);
    const [{ id: original }, { id: other }] = experiment.variations as Made[];
    const visitors = await Promise.all([...Array(40).keys()].map((id) => decide({ user: { id: `v${id}` } })));
    const nobody = await site.make.audience({
      conditions: { type: 'attribute', name: 'plan', value: 'none' },
    });
    await edit(experiment.path, { traffic_allocation: 1, audiences: [nobody.id] });
    await edit(`${experiment.path}/variations/${original}`, { traffic_allocation: 99 });
    await publish(experiment);
    for (const { user } of visitors) {
      const again = await decide({ user });
      expect(again.user).toEqual(user);
      expect(again.experiments).toMatchObject([
        { variation: { id: user.bucketing[experiment.id] }, reason: 'kept' },
      ]);
    }
    expect(new Set(visitors.map(({ user }) => user.bucketing[experiment.id]))).toEqual(
      new Set([original, other]),
    );
  });

  it('participates in no experiment before the first publication', async () => {
    expect(await decide({ user: { id: 'early' } })).toEqual({
      revision: 0,
      user: { id: 'early', bucketing: {}, phases: {} },
      recorded: true,
      experiments: [],
    });
  });
});

describe('bucketing', () => {
  it('accepts ids as numbers or text, and returns numbers', async () => {
    const experiment = await running(site);
    const [, { id }] = experiment.variations as Made[];
    for (const given of [id, String(id)]) {
      const { user, experiments } = await decide({
        user: { id: 'v', bucketing: { [experiment.id]: given } },
      });
      expect([user.bucketing, experiments[0].reason]).toEqual([{ [experiment.id]: id }, 'kept']);
    }
  });

  it('gets a new assignment if its variation is unknown or belongs to another experiment', async () => {
    const [experiment, other] = [await running(site), await running(site)];
    const fresh = await decide({ user: { id: 'v' }, selector: { experiments: [experiment.id] } });
    for (const foreign of [other.variations[0].id as number, 2_147_483_647]) {
      const { user, experiments } = await decide({
        user: { id: 'v', bucketing: { [experiment.id]: foreign } },
        selector: { experiments: [experiment.id] },
      });
      expect(experiments).toEqual(fresh.experiments);
      expect(user.bucketing).toEqual(fresh.user.bucketing);
    }
  });

  it('loses unknown entries, even if there is no replacement', async () => {
    const experiment = await running(site, 2, { traffic_allocation: 0 });
    const { user, experiments } = await decide({
      user: { id: 'v', bucketing: { [experiment.id]: 999_999 } },
    });
    expect([user.bucketing, experiments[0].reason]).toEqual([{}, 'traffic']);
  });

  it('is returned unchanged for experiments that are not live', async () => {
    const paused = await running(site);
    await site.make.move(paused, 'pause');
    const given = { [paused.id]: paused.variations[1].id, 2_000_000_000: 7 };
    const { user, experiments } = await decide({ user: { id: 'v', bucketing: given } });
    expect([user.bucketing, experiments]).toEqual([given, []]);
  });

  it('never has more entries than a request can have, and loses unknown experiments first', async () => {
    const [first, paused] = [await running(site), await running(site)];
    await site.make.move(paused, 'pause');
    const ids = Array.from({ length: 999 }, (_, index) => 2_000_000_000 + index);
    const kept = { [paused.id]: paused.variations[1].id };
    const given = { ...kept, ...Object.fromEntries(ids.map((id) => [id, 7])) };
    const { user } = await decide({ user: { id: 'v', bucketing: given } });
    expect(Object.keys(user.bucketing)).toHaveLength(1_000);
    expect(user.bucketing).toMatchObject({ ...kept, [first.id]: expect.any(Number) });
    expect((await decide({ user })).user).toEqual(user);
    const goal = first.goals[0].id as number;
    const tracked = await site.post('/v1/track', { user, events: [{ id: goal }] });
    expect([tracked.status, tracked.text]).toEqual([204, '']);
  });
});

describe('the reason', () => {
  it('is audience for visitors who do not match the audience', async () => {
    const audience = await site.make.audience({
      conditions: [
        'and',
        { type: 'attribute', name: 'plan', value: 'premium' },
        { type: 'language', match: 'starts_with', value: 'de' },
      ],
    });
    await running(site, 2, { audiences: [audience.id] });
    const reasonFor = async (user: object): Promise<string> =>
      (await decide({ user: { id: 'v', ...user } })).experiments[0].reason;
    expect(await reasonFor({})).toBe('audience');
    expect(await reasonFor({ attributes: { plan: 'premium' } })).toBe('audience');
    expect(await reasonFor({ attributes: { plan: 'premium' }, locale: 'de-CH' })).toBe('assigned');
    expect(await reasonFor({ attributes: { plan: 'premium', language: 'fr' }, locale: 'de-CH' })).toBe(
      'audience',
    );
  });

  it('is traffic for visitors outside the traffic allocation', async () => {
    const experiment = await running(site, 2, { traffic_allocation: 0 });
    expect((await decide({ user: { id: 'v' } })).experiments).toEqual([
      { id: experiment.id, api_name: experiment.api_name, variation: null, reason: 'traffic' },
    ]);
  });

  it('is excluded for visitors in another experiment of the group, who keep their assignment', async () => {
    const { id: exclusion_group_id } = await site.make.of('exclusion-groups');
    const fields = { exclusion_group_id, exclusion_share: 50 };
    const both = [await running(site, 2, fields), await running(site, 2, fields)];
    const { user, experiments } = await decide({ user: { id: 'v' } });
    const excluded = experiments.findIndex(({ reason }: Made) => reason === 'excluded');
    const [outside, inside] = [both[excluded], both[1 - excluded]];
    expect(experiments[1 - excluded]).toMatchObject({ id: inside.id, reason: 'assigned' });
    const bucketing = { ...user.bucketing, [outside.id]: outside.variations[0].id };
    expect(await decide({ user: { id: 'v', bucketing } })).toMatchObject({
      user: { bucketing },
      experiments: expect.arrayContaining([
        { id: outside.id, api_name: outside.api_name, variation: null, reason: 'excluded' },
      ]),
    });
  });

  it('is kept for visitors who return to an experiment of an exclusion group, even if the shares have changed', async () => {
    const { id: exclusion_group_id } = await site.make.of('exclusion-groups');
    const experiment = await running(site, 2, { exclusion_group_id });
    const resumeWith = async (exclusion_share: number): Promise<void> => {
      await site.make.move(experiment, 'pause');
      await edit(experiment.path, { exclusion_share });
      await site.make.move(experiment, 'running');
    };
    const decideAll = (users: object[]): Promise<Made[]> =>
      Promise.all(users.map((user) => decide({ user })));
    const first = await decideAll([...Array(40).keys()].map((id) => ({ id: `v${id}` })));
    await resumeWith(1);
    const meanwhile = await decideAll(first.map(({ user }) => user));
    expect(meanwhile.map(({ experiments }) => experiments[0].reason)).toContain('excluded');
    await edit(`${experiment.path}/variations/${experiment.variations[0].id}`, { traffic_allocation: 99 });
    await resumeWith(100);
    const again = await decideAll(meanwhile.map(({ user }) => user));
    expect(again.map(({ experiments: [{ variation, reason }] }) => [variation, reason])).toEqual(
      first.map(({ experiments: [{ variation }] }) => [variation, 'kept']),
    );
  });

  it('is page if the URL matches no page, and then nothing is assigned', async () => {
    const page = await site.make.page({
      api_name: 'cart',
      conditions: [{ match: 'simple', value: '/cart' }],
    });
    const experiment = await running(site, 2, { pages: [page.id] });
    const at = (view: object) => decide({ user: { id: 'v' }, context: { view } });
    for (const view of [
      { url: 'https://shop.example/cart?x=1' },
      { id: 'cart' },
      { id: page.id },
      { id: String(page.id) },
      { id: 'cart', url: 'https://shop.example/' },
      {},
    ]) {
      expect([view, (await at(view)).experiments[0].reason]).toEqual([view, 'assigned']);
    }
    for (const view of [{ url: 'https://shop.example/' }, { id: 'home' }, { id: page.id + 1 }]) {
      const { user, experiments } = await at(view);
      expect([view, user.bucketing, experiments]).toEqual([
        view,
        {},
        [{ id: experiment.id, api_name: experiment.api_name, variation: null, reason: 'page' }],
      ]);
    }
  });

  it('is page on other pages for assigned visitors, who keep their assignment', async () => {
    const page = await site.make.page({ conditions: [{ match: 'simple', value: '/cart' }] });
    const experiment = await running(site, 2, { pages: [page.id] });
    const bucketing = { [experiment.id]: experiment.variations[1].id };
    const view = { url: 'https://shop.example/' };
    const { user, experiments } = await decide({ user: { id: 'v', bucketing }, context: { view } });
    expect([user.bucketing, experiments]).toMatchObject([bucketing, [{ variation: null, reason: 'page' }]]);
  });

  it('is not_running for experiments that are not live, and unknown_experiment for experiments in other projects', async () => {
    const [live, paused, draft] = [await running(site), await running(site), await site.make.ready()];
    await site.make.move(paused, 'pause');
    const foreign = await scene.other.make.withStatus('running');
    const experiments = [foreign.id, draft.id, paused.id, live.id, 2_147_483_647];
    const answer = await decide({ user: { id: 'v' }, selector: { experiments } });
    expect(answer.experiments).toEqual([
      { id: foreign.id, api_name: null, variation: null, reason: 'unknown_experiment' },
      // Experiments that never ran are not disclosed, not even their names.
      { id: draft.id, api_name: null, variation: null, reason: 'unknown_experiment' },
      { id: paused.id, api_name: paused.api_name, variation: null, reason: 'not_running' },
      { id: live.id, api_name: live.api_name, variation: expect.any(Object), reason: 'assigned' },
      { id: 2_147_483_647, api_name: null, variation: null, reason: 'unknown_experiment' },
    ]);
  });

  it('is unknown_experiment for experiments in the trash', async () => {
    const gone = await running(site);
    await scene.client.delete(gone.path);
    const { experiments } = await decide({ selector: { experiments: [gone.id] } });
    expect(experiments).toMatchObject([{ api_name: null, reason: 'unknown_experiment' }]);
  });
});

describe('an environment', () => {
  it('runs its own experiments, and a request that names no environment gets the default one', async () => {
    const staging = await addEnvironment(scene, site, 'Staging');
    const everywhere = (await scene.client.get(`${site.make.project}/environments`)).body as Made[];
    const inBoth = await running(site, 2, { environments: everywhere.map(({ id }) => id) });
    const inStaging = await running(site, 2, { environments: [staging] });
    const idsIn = async (query: string): Promise<number[]> =>
      (await decide({ user: { id: 'v' } }, query)).experiments.map(({ id }: Made) => id);
    expect(await idsIn('')).toEqual([inBoth.id]);
    expect(await idsIn('?environment=production')).toEqual([inBoth.id]);
    expect(await idsIn('?environment=staging')).toEqual([inBoth.id, inStaging.id]);
    const elsewhere = await decide({ selector: { experiments: [inStaging.id] } });
    expect(elsewhere.experiments).toMatchObject([{ api_name: inStaging.api_name, reason: 'not_running' }]);
  });

  it('is rejected if it does not exist, with a list of the existing names', async () => {
    await running(site);
    for (const query of [
      '?environment=stagin',
      '?environment=',
      '?environment=production&environment=production',
    ]) {
      const answer = await site.post(`/v1/decide${query}`, {});
      expect([answer.status, answer.body]).toEqual([
        422,
        {
          message: 'The environment must be one of: production.',
          code: 'VALIDATION_FAILED',
          errors: { environment: ['The environment must be one of: production.'] },
        },
      ]);
    }
    const both = await site.post('/v1/decide?environment=stagin', { user: 1 });
    expect(Object.keys(both.body.errors)).toEqual(['environment', 'user']);
  });
});

it('the response for a single variation is like the response for several', async () => {
  const experiment = await running(site, 1);
  const { experiments } = await decide({ user: { id: 'v' } });
  expect(experiments).toMatchObject([{ variation: { id: experiment.variations[0].id }, reason: 'assigned' }]);
});
