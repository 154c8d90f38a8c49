import { Change, DefinitionStage } from '../support/definition';
import { useScene } from '../support/scene';

/* Environments in the definition of a project. */

const short = ({ kind, api_name, action, skipped }: Change): string =>
  [kind, api_name, action, skipped].filter((part) => part !== null).join(' ');

const scene = useScene();
const stage = new DefinitionStage(scene);
beforeEach(() => stage.begin());

it('creates, changes and deletes environments, and moves the default', async () => {
  await stage.make.environment({ name: 'Old' });
  const document = await stage.show();
  document.environments = [
    { api_name: 'production', name: 'Production', is_default: false, code: 'return true;' },
    {
      api_name: 'shop',
      name: 'Shop',
      is_default: true,
      code: "return location.hostname === 'shop.example';",
    },
  ];
  document.experiments = [{ api_name: 'uses', name: 'Uses', environments: ['shop'] }];
  const asked = await stage.changesOf(document);
  expect(asked.map(short)).toEqual([
    'environment production update',
    'environment shop create',
    'experiment uses create',
    'environment old delete prune',
  ]);
  expect((await stage.changesOf(document, '?prune=1')).map(short)).toEqual(['environment old delete']);
  const after = await stage.show();
  expect(after.environments).toEqual(document.environments);
  expect(after.experiments).toMatchObject([{ environments: ['shop'] }]);
  expect(await stage.changesOf(document, '?prune=1')).toEqual([]);
  const exported = (await stage.exported()).text;
  await stage.begin('Other shop');
  await stage.changesOf(JSON.parse(exported), '?prune=1');
  expect((await stage.exported()).text).toBe(exported);
});
