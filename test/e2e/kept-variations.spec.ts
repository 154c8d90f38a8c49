import { GrowthBookClient, UserContext } from '@growthbook/growthbook';
import { newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';

/* Which clients keep a visitor's variation when an experiment changes, as docs/identity.md describes. */

const scene = useScene();
const IDS = [...Array(40).keys()].map((index) => `visitor-${index}`);

let site: Site;
let experiment: Made;
let names: string[];

type Variations = (string | null)[];

beforeEach(async () => {
  site = await newSite(scene);
  experiment = await running(site);
  names = (experiment.variations as Made[]).map(({ api_name }) => api_name as string);
});

const change = async (path: string, body: object): Promise<void> => {
  expect((await scene.client.patch(path, body)).status).toBe(200);
  expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
};

const key = (): string => experiment.api_name as string;

const decided = (bucketing?: (index: number) => object): Promise<Variations> =>
  Promise.all(
    IDS.map(async (id, index) => {
      const user = { id, bucketing: bucketing?.(index) };
      const { body } = await site.post('/v1/decide', { user, record: false });
      return (body.experiments[0].variation?.api_name as string) ?? null;
    }),
  );

const evaluated = (): Promise<Variations> =>
  Promise.all(
    IDS.map(async (targetingKey) => {
      const { body } = await site.post(`/ofrep/v1/evaluate/flags/${key()}`, { context: { targetingKey } });
      return (body.value as string) ?? null;
    }),
  );

const remote = (): Promise<Variations> =>
  Promise.all(
    IDS.map(async (id) => {
      const { body } = await site.post(`/api/eval/${site.key}`, { attributes: { id } });
      return (body.features[key()]?.defaultValue as string) ?? null;
    }),
  );

/** The variations from the SDK. @param docs the visitors' sticky buckets, if the SDK stores them */
async function fromSdk(docs?: UserContext['stickyBucketAssignmentDocs']): Promise<Variations> {
  const payload = (await scene.api.as(null).get(`//api/features/${site.key}`)).body;
  const client = new GrowthBookClient().initSync({ payload });
  return IDS.map((id) =>
    client.getFeatureValue<string | null>(key(), null, {
      attributes: { id },
      ...(docs === undefined
        ? {}
        : {
            stickyBucketAssignmentDocs: docs,
            saveStickyBucketAssignmentDoc: (doc) => {
              docs[`${doc.attributeName}||${doc.attributeValue}`] = doc;
              return Promise.resolve();
            },
          }),
    }),
  );
}

it('after a change of shares, only clients that store variations keep them', async () => {
  const sticky = {};
  const before = await decided();
  expect([await evaluated(), await remote(), await fromSdk(), await fromSdk(sticky)]).toEqual(
    Array(4).fill(before),
  );
  await change(`${experiment.path}/variations/${experiment.variations[0].id}`, { traffic_allocation: 1 });
  const bucketing = (index: number) => ({
    [experiment.id]: experiment.variations[names.indexOf(before[index]!)].id,
  });
  expect([await decided(bucketing), await fromSdk(sticky)]).toEqual([before, before]);
  const now = await decided();
  expect(now).not.toEqual(before);
  expect([await evaluated(), await remote(), await fromSdk()]).toEqual(Array(3).fill(now));
});

it('sticky buckets keep variations when the audience changes, but not outside the traffic allocation', async () => {
  const sticky = {};
  const before = await fromSdk(sticky);
  const nobody = await site.make.audience({ conditions: { type: 'attribute', name: 'plan', value: 'none' } });
  await change(experiment.path, { audiences: [nobody.id] });
  expect(await fromSdk(sticky)).toEqual(before);
  await change(experiment.path, { traffic_allocation: 0 });
  expect(new Set(await fromSdk(sticky))).toEqual(new Set([null]));
});
