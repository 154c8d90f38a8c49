import type { Answer, Client } from './client';
import { TestApi, World } from './api';
import { pathsOf, WRITABLE } from './resources';

export type Made = { id: number; path: string } & Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies

/** The path segments of collections whose records the API creates and changes. */
export const KINDS: readonly string[] = ['experiments', ...pathsOf(WRITABLE)];

/** Creates records through the API. Throws an error if a request is rejected. */
export class Maker {
  constructor(
    private readonly client: Client,
    readonly project: string,
  ) {}

  /** The project id, which is the last part of `project`. */
  get projectId(): number {
    return Number(this.project.split('/').at(-1));
  }

  async make(collection: string, body: object): Promise<Made> {
    const answer = await this.client.post(collection, body);
    if (answer.status !== 201) {
      throw new Error(`POST ${collection} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    }
    return { ...answer.body, path: `${collection}/${answer.body.id}` } as Made;
  }

  of(kind: string, fields: object = {}): Promise<Made> {
    return this.make(`${this.project}/${kind}`, { name: 'Item', ...fields });
  }

  experiment(fields: object = {}): Promise<Made> {
    return this.of('experiments', { name: 'Experiment', ...fields });
  }

  audience(fields: object = {}): Promise<Made> {
    return this.of('audiences', { name: 'Audience', ...fields });
  }

  page(fields: object = {}): Promise<Made> {
    return this.of('pages', { name: 'Page', ...fields });
  }

  goal(fields: object = {}): Promise<Made> {
    return this.of('goals', { name: 'Goal', ...fields });
  }

  environment(fields: object = {}): Promise<Made> {
    return this.make(`${this.project}/settings/environments`, { name: 'Existing', ...fields });
  }

  variation(experiment: { path: string }, fields: object = {}): Promise<Made> {
    return this.make(`${experiment.path}/variations`, { name: 'Variation', ...fields });
  }

  /** Creates an experiment that can be previewed and started. */
  async ready(fields: object = {}): Promise<Made> {
    const [page, goal] = [await this.page(), await this.goal()];
    return this.experiment({
      variations: [{ name: 'Original' }, { name: 'Variation' }],
      pages: [page.id],
      goals: [goal.id],
      ...fields,
    });
  }

  /** Creates an experiment with this status. */
  async withStatus(status: string, fields: object = {}): Promise<Made> {
    const made = await this.ready(fields);
    if (status === 'pause') {
      await this.move(made, 'running');
    }
    return status === 'draft' ? made : this.move(made, status);
  }

  async move(experiment: { path: string }, status: string): Promise<Made> {
    const answer = await this.client.patch(`${experiment.path}/status`, { status });
    if (answer.status !== 200) {
      throw new Error(`The move to ${status} answered ${answer.status}: ${answer.text}`);
    }
    return { ...answer.body, path: experiment.path } as Made;
  }
}

export interface Scene {
  api: TestApi;
  world: World;
  /** The client of the team's admin. */
  client: Client;
  /** `/projects/<id>` of the team's project. */
  project: string;
  make: Maker;
  /** A client and a maker of another team, with its project. */
  other: { client: Client; project: string; make: Maker };
}

/** Starts the application with a team and a project before the tests of a block, and stops it afterwards. */
export function useScene(environment: Record<string, string> = {}): Scene {
  const scene = {} as Scene;
  beforeAll(async () => {
    const api = await TestApi.start(environment);
    const world = await api.world();
    const { client } = world.people.admin;
    const [{ id: otherTeam }] = (await world.outsider.client.get('/teams')).body;
    const otherProject = `/projects/${await api.project(otherTeam, 'Elsewhere')}`;
    const otherClient = world.outsider.client;
    Object.assign(scene, {
      api,
      world,
      client,
      project: world.project,
      make: new Maker(client, world.project),
      other: { client: otherClient, project: otherProject, make: new Maker(otherClient, otherProject) },
    });
  });
  afterAll(() => scene.api.close());
  return scene;
}

/** Creates another project of the team. @returns its maker */
export async function anotherProject(
  scene: Pick<Scene, 'api' | 'client'> & { world: Pick<Scene['world'], 'teamId'> },
  name = 'Another',
): Promise<Maker> {
  return new Maker(scene.client, `/projects/${await scene.api.project(scene.world.teamId, name)}`);
}

export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** The errors of a 422 response by field. Asserts the shape of the body. */
export function errorsOf(answer: Answer): Record<string, string[]> {
  const { message, errors } = answer.body as { message: string; errors: Record<string, string[]> };
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([422, expect.any(String)]);
  const all = Object.values(errors).flat();
  const more = all.length - 1;
  const rest = more > 0 ? ` (and ${more} more ${more === 1 ? 'error' : 'errors'})` : '';
  expect(message).toBe(`${Object.values(errors)[0][0]}${rest}`);
  return errors;
}

/** The dotted paths that a 422 response names, sorted. */
export const refusedPaths = (answer: Answer): string[] => Object.keys(errorsOf(answer)).sort();

/** `count` characters outside the basic multilingual plane. Each has two UTF-16 code units and four bytes. */
export const astral = (count: number): string => '😀'.repeat(count);
