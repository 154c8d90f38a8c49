import { EnvironmentsService } from '../../src/resources/environments/environments.service';
import type { Answer } from './client';
import { Made, Maker, Scene } from './scene';

/* Helpers for the delivery routes, which use a project's client key. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read bodies of any shape
type Loose = any;

/** A separate project, with its client key. */
export interface Site {
  make: Maker;
  projectId: number;
  key: string;
  /** Sends a request with the client key as a bearer token. The path begins with a slash. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Loose>>;
}

export async function newSite(scene: Scene): Promise<Site> {
  const projectId = await scene.api.project(scene.world.teamId, 'Site');
  const make = new Maker(scene.client, `/projects/${projectId}`);
  const key = (await scene.client.get(make.project)).body.client_key as string;
  return {
    make,
    projectId,
    key,
    post: (path, body, headers = {}) =>
      scene.api.as(null).post(`/${path}`, body, { authorization: `Bearer ${key}`, ...headers }),
  };
}

/** A running experiment with this number of variations, which share traffic equally. */
export function running(site: Site, variations = 2, fields: object = {}): Promise<Made> {
  const names = Array.from({ length: variations }, (_, index) => ({ name: `Variation ${index}` }));
  return site.make.withStatus('running', { variations: names, ...fields });
}

/** The `api_name` of the variation with this id. */
export const nameOf = (experiment: Made, variation: number): string =>
  (experiment.variations as Made[]).find(({ id }) => id === variation)!.api_name as string;

/** Adds an environment. Its `api_name` is the name in lower case. @returns its id */
export async function addEnvironment({ api }: Scene, { projectId }: Site, name: string): Promise<number> {
  const fields = { name, code: 'return true;', is_default: false };
  const service = api.app.get(EnvironmentsService, { strict: false });
  return (await service.create(projectId, fields, 'admin')).id;
}
