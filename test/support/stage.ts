import type { Client } from './client';
import { pathsOf, RESOURCES, WRITABLE } from './resources';
import { Made, Maker, Scene } from './scene';

/** A project with every type of record. */
export interface Stage {
  client: Client;
  make: Maker;
  teamId: number;
  projectId: number;
  /** Records that are attached to the experiment. */
  audience: Made;
  page: Made;
  goal: Made;
  environment: Made;
  /** One record of each standard resource that the API creates, not attached to any experiment. */
  spare: Record<string, Made>;
  experiment: Made;
  variation: Made;
  otherExperiment: Made;
  otherVariation: Made;
}

export async function setStage(scene: Scene): Promise<Stage> {
  const { client } = scene;
  const projectId = await scene.api.project(scene.world.teamId, 'Stage');
  const make = new Maker(client, `/projects/${projectId}`);
  const [audience, page, goal] = [await make.audience(), await make.page(), await make.goal()];
  const spare: Record<string, Made> = {};
  for (const { type, path } of WRITABLE) {
    spare[type] = await make.of(path);
  }
  const attached = { audiences: [audience.id], pages: [page.id], goals: [goal.id] };
  const variations = [{ name: 'A' }, { name: 'B' }];
  const example_url = 'https://shop.example.com/';
  const experiment = await make.experiment({ ...attached, variations, example_url });
  const otherExperiment = await make.experiment({ name: 'Other', variations });
  const variationOf = ({ path, variations: [, second] }: Made): Made =>
    ({ ...second, path: `${path}/variations/${second.id}` }) as Made;
  const [environment] = (await client.get(`${make.project}/environments`)).body as Made[];
  return {
    client,
    make,
    teamId: scene.world.teamId,
    projectId,
    audience,
    page,
    goal,
    environment: { ...environment, path: `${make.project}/environments/${environment.id}` },
    spare,
    experiment,
    variation: variationOf(experiment),
    otherExperiment,
    otherVariation: variationOf(otherExperiment),
  };
}

/** All paths that can be read, by name. */
export function addressesOf(stage: Stage): Record<string, string> {
  const { project } = stage.make;
  const lists = ['experiments', ...pathsOf(RESOURCES)];
  const spare = Object.entries(stage.spare).map(([type, { path }]) => [`spare ${type}`, path]);
  return {
    teams: '/teams',
    projects: `/teams/${stage.teamId}/projects`,
    project,
    ...Object.fromEntries(lists.map((name) => [name, `${project}/${name}`])),
    'experiments?fields': `${project}/experiments?fields=id,name`,
    audience: stage.audience.path,
    page: stage.page.path,
    goal: stage.goal.path,
    environment: stage.environment.path,
    ...Object.fromEntries(spare),
    experiment: stage.experiment.path,
    'experiment?fields': `${stage.experiment.path}?fields=id,name`,
    variations: `${stage.experiment.path}/variations`,
    variation: stage.variation.path,
    'other experiment': stage.otherExperiment.path,
    'other variations': `${stage.otherExperiment.path}/variations`,
    'other variation': stage.otherVariation.path,
  };
}

/** The parts of a response that show whether anything has changed. */
export interface View {
  tag: string | undefined;
  text: string;
}

export async function look(stage: Stage): Promise<Record<string, View>> {
  const views: Record<string, View> = {};
  for (const [name, address] of Object.entries(addressesOf(stage))) {
    const { headers, text, status } = await stage.client.get(address);
    views[name] = { tag: headers.etag, text };
    expect([name, status === 404 || headers.etag !== undefined]).toEqual([name, true]);
  }
  return views;
}
