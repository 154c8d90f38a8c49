import { anotherProject, Maker, useScene } from '../support/scene';

describe('the number of SQL statements for a list', () => {
  const scene = useScene();
  const SIZES = [1, 10, 50];

  /** The statements that `work` executes, except token lookups, which are cached for some time. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { read, writer } = scene.api.database;
    const statements: string[] = [];
    const subscriber = { beforeQuery: ({ query }: { query: string }) => void statements.push(query) };
    const sources = new Set([read.dataSource, writer]);
    sources.forEach(({ subscribers }) => subscribers.push(subscriber));
    await work();
    sources.forEach(({ subscribers }) => subscribers.splice(subscribers.indexOf(subscriber), 1));
    return statements.filter(
      (sql) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(sql) && !sql.includes('api_tokens'),
    );
  }

  /**
   * Creates a project with `size` records of each kind. Experiments have three variations and one attachment of each
   * kind.
   */
  async function filled(size: number): Promise<Maker> {
    const make = await anotherProject(scene, `With ${size}`);
    const [audience, page, goal] = [await make.audience(), await make.page(), await make.goal()];
    const attached = { audiences: [audience.id], pages: [page.id], goals: [goal.id] };
    const variations = ['A', 'B', 'C'].map((name) => ({ name, js: 'f()' }));
    for (let index = 1; index < size; index += 1) {
      await Promise.all([make.audience(), make.page(), make.goal()]);
    }
    for (let index = 0; index < size; index += 1) {
      await make.experiment({ ...attached, variations, example_url: 'https://a.example.com/' });
    }
    return make;
  }

  let projects: Maker[];
  beforeAll(async () => {
    projects = [];
    for (const size of SIZES) {
      projects.push(await filled(size));
    }
  });

  it.each([
    '/experiments',
    '/experiments?variations=lite',
    '/experiments?fields=id,name',
    '/experiments?fields=variations,goals',
    '/experiments?per_page=500',
    '/audiences',
    '/pages',
    '/goals',
  ])('is the same for 1, 10 and 50 entries of %s', async (path) => {
    const counts: number[] = [];
    for (const [index, { project }] of projects.entries()) {
      let length = 0;
      const statements = await statementsOf(async () => {
        length = (await scene.client.get(project + path)).body.length;
      });
      expect(length).toBe(SIZES[index]);
      counts.push(statements.length);
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts).toEqual([counts[0], counts[0], counts[0]]);
    expect(counts[0]).toBeLessThanOrEqual(8);
  });

  it('is smaller for fewer fields', async () => {
    const { project } = projects[2];
    const whole = await statementsOf(() => scene.client.get(`${project}/experiments?page=1`));
    const some = await statementsOf(() => scene.client.get(`${project}/experiments?page=1&fields=name`));
    expect(some.length).toBeLessThan(whole.length);
  });
});
