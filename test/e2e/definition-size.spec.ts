import { DefinitionStage } from '../support/definition';
import { useScene } from '../support/scene';
import { statementsDuring } from '../support/statements';
import { listening } from '../support/web-server';

describe('a project definition', () => {
  const scene = useScene();
  const stage = new DefinitionStage(scene);
  beforeEach(() => stage.begin());

  it('with 200 experiments is written and read completely', async () => {
    const experiments = Array.from({ length: 200 }, (_, index) => ({
      api_name: `experiment-${String(index).padStart(3, '0')}`,
      name: `Experiment ${index}`,
      pages: ['shop'],
      goals: ['sale'],
      variations: [
        { api_name: 'original', name: 'Original' },
        { api_name: 'other', name: 'Other', css: '.x{}' },
      ],
    }));
    const document = {
      pages: [{ api_name: 'shop', name: 'Shop' }],
      goals: [{ api_name: 'sale', name: 'Sale' }],
      experiments,
    };
    expect(await stage.changesOf(document)).toHaveLength(202);
    expect(await stage.changesOf(document, '?prune=1&status=1')).toEqual([]);
    expect((await stage.show()).experiments).toMatchObject(experiments);
    // Neither reading nor applying an unchanged definition needs a statement per record.
    expect((await statementsDuring(scene.api, () => stage.show())).length).toBeLessThan(30);
    expect((await statementsDuring(scene.api, () => stage.put(document))).length).toBeLessThan(60);
  });

  it('with 1,000 goals lets the server answer other requests while it is written', async () => {
    const address = await listening(scene.api.app);
    const goals = Array.from({ length: 1_000 }, (_, index) => ({ api_name: `g${index}`, name: `G${index}` }));
    const answered: string[] = [];
    const written = stage.put({ goals }, '?dry_run=1').then(({ status }) => answered.push(`put ${status}`));
    for (let count = 0; count < 3; count += 1) {
      const { status } = await fetch(`${address}/health/live`);
      answered.push(`live ${status}`);
    }
    await written;
    expect(answered).toEqual([...Array<string>(3).fill('live 200'), 'put 200']);
  });
});
