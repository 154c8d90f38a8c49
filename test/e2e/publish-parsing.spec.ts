import { BoundedParser } from '../../src/common/validation/bounded-parser';
import { anotherProject, Made, Maker, useScene } from '../support/scene';

/* Parsing large code takes long, so each script is parsed only once, however often it is published. */

const scene = useScene();
let make: Maker;

/** The code that has been parsed, in order. */
let parsed: () => string[];

beforeEach(async () => {
  make = await anotherProject(scene);
  const parsers = [jest.spyOn(BoundedParser, 'parse'), jest.spyOn(BoundedParser, 'parseExpressionAt')];
  parsed = () => parsers.flatMap((parser) => parser.mock.calls.map(([code]) => code));
});

afterEach(() => jest.restoreAllMocks());

const variations = ['A', 'B'].map((name) => ({
  name,
  traffic_allocation: 50,
  js: `window.only${name} = 'in this spec'; // ${name}`,
}));
const CONDITION = 'window.isOnlyInThisSpec === true';
const ENVIRONMENT = 'return location.hash === "#only-in-this-spec"';

async function ready(): Promise<Made> {
  const audience = await make.audience({
    conditions: { type: 'javascript', value: CONDITION },
  });
  const environment = await make.environment({ code: ENVIRONMENT });
  return make.ready({ variations, audiences: [audience.id], environments: [environment.id] });
}

it('each script is parsed once, when it is saved', async () => {
  const experiment = await ready();
  const { path } = experiment;
  expect((await scene.client.patch(`${path}/status`, { status: 'running' })).status).toBe(200);
  const counts = variations.map(({ js }) => parsed().filter((code) => code === js).length);
  expect(counts).toEqual([1, 1]);
});

it('an unchanged publication is previewed and published without parsing anything', async () => {
  const { path } = await ready();
  await scene.client.patch(`${path}/status`, { status: 'running' });
  jest.clearAllMocks();
  const preview = await scene.client.get(`${make.project}/publications/preview`);
  expect(preview.body).toMatchObject({ has_changes: false, revision: 1 });
  expect((await scene.client.patch(`${path}/publish`)).body.snippet_revision).toBe(1);
  expect(parsed()).toEqual([]);
});

it('after an edit, only the changed script is parsed', async () => {
  const { path, variations: made } = await ready();
  await scene.client.patch(`${path}/status`, { status: 'running' });
  jest.clearAllMocks();
  const js = `window.only = '${path}'`;
  await scene.client.patch(`${path}/variations/${(made as Made[])[1].id}`, { js });
  await scene.client.patch(`${path}/publish`);
  expect(parsed()).toEqual([js]);
  const { client_key } = (await scene.client.get(make.project)).body;
  const script = (await scene.client.get(`//s/${client_key}.js`)).text;
  expect([script.includes(js), script.includes("window.onlyA = 'in this spec'")]).toEqual([true, true]);
});
