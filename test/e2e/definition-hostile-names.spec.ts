import { DefinitionStage } from '../support/definition';
import { errorsOf, useScene } from '../support/scene';

/* Names in a definition that are not text, and that JavaScript cannot convert to text. */

const scene = useScene();
const stage = new DefinitionStage(scene);
beforeEach(() => stage.begin());

const SECTIONS = ['environments', 'audiences', 'pages', 'goals', 'exclusion_groups', 'experiments'];
const NO_TEXT = { toString: 1, valueOf: 1 };

async function refused(document: object): Promise<string[]> {
  const before = (await stage.exported()).text;
  const errors = errorsOf(await stage.put(document));
  expect((await stage.exported()).text).toBe(before);
  return Object.keys(errors).sort();
}

it.each(SECTIONS)('names that are not text are rejected with their paths in %s', async (section) => {
  const paths = [`${section}.0.api_name`, `${section}.1.name`];
  expect(await refused({ [section]: [{ api_name: NO_TEXT }, { api_name: 'a', name: NO_TEXT }] })).toEqual(
    paths,
  );
  expect(await refused({ [section]: [{ api_name: 'a', name: NO_TEXT }] })).toEqual([`${section}.0.name`]);
});

it('names that are not text are rejected for existing records', async () => {
  const { api_name } = await stage.make.goal({ name: 'Order' });
  const document = {
    environments: [{ api_name: 'production', name: NO_TEXT }],
    goals: [{ api_name, name: NO_TEXT }],
  };
  expect(await refused(document)).toEqual(['environments.0.name', 'goals.0.name']);
});

it('names that are not text are rejected in variations', async () => {
  const variations = [{ api_name: NO_TEXT }, { api_name: 'a', name: NO_TEXT }];
  expect(await refused({ experiments: [{ api_name: 'a', name: 'A', variations }] })).toEqual([
    'experiments.0.variations.0.api_name',
    'experiments.0.variations.1.name',
  ]);
});

it('names that are lists do not count as the text that they contain', async () => {
  const goals = [
    { api_name: ['a'], name: 'A' },
    { api_name: 'a', name: 'B' },
  ];
  expect(await refused({ goals })).toEqual(['goals.0.api_name']);
});
