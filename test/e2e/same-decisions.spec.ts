import { GrowthBookClient } from '@growthbook/growthbook';
import { FlagsService } from '../../src/publishing/decisions/flags.service';
import { DecisionsService } from '../../src/publishing/decisions/decisions.service';
import { readDecisionRequest } from '../../src/publishing/decisions/decision-request';
import { readSubject } from '../../src/publishing/decisions/ofrep';
import { assign, subjectOf } from '../../src/publishing/evaluation';
import type { Published } from '../../src/publishing/published';
import { PublishedProjects } from '../../src/publishing/published-projects';
import { nameOf, newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';

/* A visitor gets the same variation wherever the decision is made. */

const scene = useScene();
let site: Site;
let experiments: Made[];
let published: Published;

const VISITORS = [...Array(10_000).keys()].map((index) => `visitor-${index}`);
const PLANS = ['free', 'premium', 'none'];
const attributesOf = (index: number) => ({ plan: PLANS[index % PLANS.length], age: index % 90 });

const service = <T>(type: new (...parts: never[]) => T): T => scene.api.app.get(type, { strict: false });

/** Starts an experiment as the first release did, so its variation ranges cover only the allocated traffic. */
async function startedInFirstRelease(fields: object): Promise<Made> {
  const draft = await site.make.ready(fields);
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiments SET traffic_in_ranges = 1 WHERE id = ?', [draft.id]),
  );
  await scene.client.patch(`${draft.path}/status`, { status: 'running' });
  return draft;
}

/**
 * Makes two experiments in one exclusion group. One has two ranges in the group, on either side of the other's range.
 */
async function excludingEachOther(): Promise<Made[]> {
  const { id } = await site.make.of('exclusion-groups');
  const member = (api_name: string, exclusion_share: number, fields: object = {}): Promise<Made> =>
    running(site, 2, { api_name, exclusion_group_id: id, exclusion_share, ...fields });
  const gone = await member('gone', 25);
  const middle = await member('middle', 30.5, { traffic_allocation: 80 });
  await site.make.move(gone, 'archive');
  return [middle, await member('around', 60)];
}

beforeAll(async () => {
  site = await newSite(scene);
  const paying = await site.make.audience({
    conditions: { type: 'attribute', name: 'plan', match: 'in', value: ['free', 'premium'] },
  });
  const grown = await site.make.audience({
    conditions: ['not', { type: 'attribute', name: 'age', match: 'lt', value: 18 }],
  });
  const numbered = await site.make.audience({
    conditions: { type: 'attribute', name: 'id', match: 'starts_with', value: 'visitor-1' },
  });
  experiments = [
    await running(site, 2, { api_name: 'even' }),
    await running(site, 3, { api_name: 'partial', traffic_allocation: 33.33 }),
    await running(site, 5, {
      api_name: 'limited',
      audiences: [paying.id, grown.id],
      audiences_match_type: 'all',
    }),
    await running(site, 1, { api_name: 'single', traffic_allocation: 50 }),
    await startedInFirstRelease({ api_name: 'aged', traffic_allocation: 40 }),
    ...(await excludingEachOther()),
    await running(site, 2, { api_name: 'numbered', audiences: [numbered.id] }),
  ];
  published = (await service(PublishedProjects).find(site.key))!;
});

/** The api_name of each visitor's variation in each experiment. Null if the visitor has no variation. */
type Outcomes = (string | null)[][];

const assigned = (): Outcomes =>
  VISITORS.map((id, index) =>
    published.experiments.map(({ rule, variations }) => {
      const { variation } = assign(rule, subjectOf(id, attributesOf(index)));
      return variations.find((each) => each.id === variation)?.api_name ?? null;
    }),
  );

let expected: Outcomes;
beforeAll(() => {
  expected = assigned();
});

it('the test visitors cover every outcome of each experiment', () => {
  const seen = experiments.map((_, place) => new Set(expected.map((outcome) => outcome[place])));
  expect(seen.map(({ size }) => size)).toEqual([2, 4, 6, 2, 3, 3, 3, 3]);
});

it('traffic below 100 % has a separate hash, except in experiments from the first release', async () => {
  const { features } = (await scene.api.as(null).get(`//api/features/${site.key}`)).body as Made;
  const rules = experiments.map(({ api_name }) => features[api_name as string].rules[0] as Made);
  const [, partial, , single, aged, middle, around] = experiments.map(({ id }) => `exp-${id}`);
  const group = `exclusion-group-${experiments[5].exclusion_group_id}`;
  expect(rules.flatMap(({ key, filters = [] }) => filters.map(({ seed }: Made) => [key, seed]))).toEqual([
    [partial, `${partial}-traffic`],
    [single, `${single}-traffic`],
    [middle, group],
    [middle, `${middle}-traffic`],
    [around, group],
  ]);
  expect(rules.find(({ key }) => key === aged)?.ranges).toEqual([
    [0, 0.2],
    [0.5, 0.7],
  ]);
});

it('decide makes the same decisions', async () => {
  const decisions = service(DecisionsService);
  const outcomes: Outcomes = [];
  for (const [index, id] of VISITORS.entries()) {
    const request = readDecisionRequest({ user: { id, attributes: attributesOf(index) }, record: false });
    const { experiments: decided } = await decisions.decide(published, 'production', request);
    outcomes.push(decided.map(({ variation }) => variation?.api_name ?? null));
  }
  expect(outcomes).toEqual(expected);
});

it('OFREP makes the same decisions', async () => {
  const flags = service(FlagsService);
  const OPTIONS = { environment: 'production', hasValueAlways: false };
  const outcomes: Outcomes = [];
  for (const [index, targetingKey] of VISITORS.entries()) {
    const subject = readSubject({ context: { targetingKey, ...attributesOf(index) } }, null);
    const evaluations = await flags.evaluateAll(published, OPTIONS, subject);
    outcomes.push(evaluations.map(({ value }) => value ?? null));
  }
  expect(outcomes).toEqual(expected);
});

it('an SDK that reads the payload makes the same decisions', async () => {
  const payload = (await scene.api.as(null).get(`//api/features/${site.key}`)).body;
  const client = new GrowthBookClient().initSync({ payload });
  const outcomes = VISITORS.map((id, index) =>
    experiments.map(({ api_name }) =>
      client.getFeatureValue<string | null>(api_name as string, null, {
        attributes: { id, ...attributesOf(index) },
      }),
    ),
  );
  expect(outcomes).toEqual(expected);
});

/** The interface that all versions of the SDK have in common. */
type Sdk = new (context: { features: object; attributes: object }) => {
  getFeatureValue: (key: string, fallback: null) => unknown;
};

it.each([
  // The oldest version that the documentation lists as supported.
  ['0.23.0', 'growthbook-0.23'],
  ['0.28.0', 'growthbook-0.28'],
  ['0.36.0', 'growthbook-0.36'],
  ['1.2.0', 'growthbook-1.2'],
  ['1.6.1', 'growthbook-1.6'],
  ['1.8.0', '@growthbook/growthbook'],
])('the SDK for one visitor makes the same decisions, version %s', async (_, name) => {
  const { GrowthBook } = jest.requireActual<{ GrowthBook: Sdk }>(name);
  const { features } = (await scene.api.as(null).get(`//api/features/${site.key}`)).body as Made;
  for (let index = 0; index < VISITORS.length; index += 5) {
    const attributes = { id: VISITORS[index], ...attributesOf(index) };
    const sdk = new GrowthBook({ features: features as object, attributes });
    const outcome = experiments.map(({ api_name }) => sdk.getFeatureValue(api_name as string, null));
    expect([VISITORS[index], outcome]).toEqual([VISITORS[index], expected[index]]);
  }
});

it('decide, OFREP and remote evaluation make the same decisions over HTTP', async () => {
  for (let index = 0; index < VISITORS.length; index += 40) {
    const [id, attributes] = [VISITORS[index], attributesOf(index)];
    const decided = await site.post('/v1/decide', { user: { id, attributes }, record: false });
    const flags = await site.post('/ofrep/v1/evaluate/flags', {
      context: { targetingKey: id, ...attributes },
    });
    const remote = await site.post(`/api/eval/${site.key}`, { attributes: { id, ...attributes } });
    const outcomes = [
      decided.body.experiments.map(({ variation }: Made) => (variation as Made | null)?.api_name ?? null),
      flags.body.flags.map(({ value }: { value?: string }) => value ?? null),
      experiments.map(({ api_name }) => remote.body.features[api_name as string]?.defaultValue ?? null),
    ];
    expect([id, ...outcomes]).toEqual([id, expected[index], expected[index], expected[index]]);
  }
});

it('decide returns the variation of an earlier decision', async () => {
  const [experiment] = experiments;
  const [index, id] = [7, VISITORS[7]];
  const other = (experiment.variations as Made[]).find(({ api_name }) => api_name !== expected[index][0])!;
  const bucketing = { [experiment.id]: other.id };
  const answer = await site.post('/v1/decide', { user: { id, bucketing }, record: false });
  expect(answer.body.experiments[0].variation.api_name).toBe(nameOf(experiment, other.id));
});
