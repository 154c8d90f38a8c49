import type { Client } from './client';

/** Ids of the records that make an experiment ready to start. */
export interface Ready {
  experiment: number;
  page: number;
  goal: number;
  variations: number[];
}

async function created(
  client: Client,
  path: string,
  body: object,
): Promise<{ id: number } & Record<string, unknown>> {
  const answer = await client.post(path, body);
  if (answer.status !== 201) {
    throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  }
  return answer.body as { id: number } & Record<string, unknown>;
}

/** Creates an experiment with two variations, a page and a goal, which can be previewed and started. */
export async function readyExperiment(client: Client, project: string, fields: object = {}): Promise<Ready> {
  const page = await created(client, `${project}/pages`, { name: 'Page' });
  const goal = await created(client, `${project}/goals`, { name: 'Goal' });
  const experiment = await created(client, `${project}/experiments`, {
    name: 'Experiment',
    variations: [{ name: 'Original' }, { name: 'Variation' }],
    pages: [page.id],
    goals: [goal.id],
    ...fields,
  });
  const variations = (experiment.variations as { id: number }[]).map(({ id }) => id);
  return { experiment: experiment.id, page: page.id, goal: goal.id, variations };
}
