import { startApplication } from '../../src/admin/application';
import { ShopListener } from '../../src/demo/shop/shop-listener';
import { entities } from '../../src/entities';
import type { TestApi } from './api';
import type { Client } from './client';
import type { Made } from './scene';

/** The demo, with the client of a user who has all permissions in it. */
export interface SeededDemo {
  client: Client;
  /** `/projects/<id>` */
  project: string;
  clientKey: string;
  snippetUrl: string;
}

/** Creates the demo as the admin command does. */
export async function seedDemo(api: TestApi): Promise<SeededDemo> {
  const { services, close } = await startApplication(api.config, entities);
  const demo = await services.demo.seed().finally(close);
  const administrator = demo.users.find(({ role }) => role === 'admin');
  const client = api.as(await api.token(administrator?.id ?? 0, 'write'));
  const project = `/projects/${demo.project?.id ?? 0}`;
  const { client_key: clientKey, snippet_url: snippetUrl } = (await client.get(project)).body;
  return { client, project, clientKey, snippetUrl };
}

/** A demo experiment, with its path. */
export async function demoExperiment({ client, project }: SeededDemo, name: string): Promise<Made> {
  const { body } = await client.get(`${project}/experiments?search=${encodeURIComponent(name)}`);
  return { ...body[0], path: `${project}/experiments/${body[0].id}` };
}

/** Starts the shop if the demo exists, and stops it otherwise. @returns the public origin of the shop */
export async function updateShop({ app }: TestApi): Promise<string> {
  const listener = app.get(ShopListener, { strict: false });
  await listener.update();
  return listener.url ?? '';
}
