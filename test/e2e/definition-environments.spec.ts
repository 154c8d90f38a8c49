import { MAX_ENVIRONMENTS } from '../../src/resources/environments/environments.resource';
import { Change, DefinitionStage } from '../support/definition';
import { refusedPaths, useScene } from '../support/scene';

/* Environments in a project definition. */

const short = ({ kind, api_name, action, skipped }: Change): string =>
  [kind, api_name, action, skipped].filter((part) => part !== null).join(' ');

const scene = useScene();
const stage = new DefinitionStage(scene);
beforeEach(() => stage.begin());

it('a definition creates, changes and deletes environments, and moves the default', async () => {
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

it('the name of an environment can be reused if the same document deletes or renames that environment', async () => {
  await stage.make.environment({ name: 'Staging', code: 'return false;' });
  await stage.change(({ environments: [production, staging] }) => {
    [production.name, staging.name] = [staging.name, production.name];
  });
  const swapped = await stage.show();
  expect(swapped.environments).toMatchObject([
    { api_name: 'production', name: 'Staging' },
    { api_name: 'staging', name: 'Production' },
  ]);
  await stage.change(({ environments: [production, staging] }) => {
    production.api_name = 'test';
    staging.api_name = 'live';
  }, '?prune=1');
  expect((await stage.show()).environments).toMatchObject([
    { api_name: 'live', name: 'Production', is_default: false },
    { api_name: 'test', name: 'Staging', is_default: true },
  ]);
});

it('the place of an environment can be used again if the same document deletes that environment', async () => {
  const document = await stage.show();
  const [production] = document.environments;
  const named = (name: string) => ({ api_name: name, name, code: 'return false;' });
  for (let index = 1; index < MAX_ENVIRONMENTS; index += 1) {
    document.environments.push(named(`e${index}`));
  }
  await stage.changesOf(document);
  const others = document.environments.slice(3);
  const replaced = [{ ...production, api_name: 'live' }, named('new-1'), named('new-2'), ...others];
  expect(refusedPaths(await stage.put({ environments: replaced }))).toContain('environments.0.environment');
  await stage.changesOf({ environments: replaced }, '?prune=1');
  const after = (await stage.show()).environments.map(({ api_name }: Change) => api_name);
  expect(after.sort()).toEqual(replaced.map(({ api_name }) => api_name).sort());
});

it('names must be unique', async () => {
  await stage.make.environment({ name: 'Staging', code: 'return false;' });
  const [production, staging] = (await stage.show()).environments;
  const renamed = { ...staging, api_name: 'renamed' };
  const refused = async (environments: object[], query = ''): Promise<string[]> =>
    refusedPaths(await stage.put({ environments }, query));
  expect(await refused([production, renamed])).toEqual(['environments.1.name']);
  expect(await refused([{ ...production, name: 'Staging' }, staging])).toEqual(['environments.0.name']);
  const twice = [production, renamed, { ...renamed, api_name: 'again' }];
  expect(await refused(twice, '?prune=1')).toEqual(['environments.2.name']);
  const both = [
    { ...production, name: 'Staging' },
    { ...staging, name: 'Production' },
  ];
  expect(await refused([...both, renamed])).toEqual(['environments.2.name']);
});
