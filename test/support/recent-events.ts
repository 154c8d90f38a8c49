import type { Answer } from './client';
import type { Site } from './delivery';
import type { Scene } from './scene';

/* Reads the list of a project's recent messages. */

export interface ListedEvent {
  received_at: string;
  outcome: string;
  reason: string | null;
  source: string;
  host: string | null;
  type: string | null;
  event: string | null;
  visitor_id: string | null;
  experiment: string | null;
  variation: string | null;
  experiment_id: number | null;
  variation_id: number | null;
  goal_ids: number[];
  value: string | null;
  detail: string | null;
  occurred_at: string | null;
}

/** Requests the recent messages as a team member. */
export const askRecent = (
  { client }: Scene,
  site: Site,
  query = '',
): Promise<Answer<any>> /* eslint-disable-line @typescript-eslint/no-explicit-any -- as in bodies */ =>
  client.get(`${site.make.project}/events/recent${query}`);

/** A project's messages, newest first. */
export async function recentOf(scene: Scene, site: Site, query = ''): Promise<ListedEvent[]> {
  const { status, body, text } = await askRecent(scene, site, query);
  expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return (body as { messages: ListedEvent[] }).messages;
}

/** The outcome and reason of each message, oldest first. */
export const verdictsOf = (messages: readonly ListedEvent[]): string[] =>
  messages.map(({ outcome, reason }) => (reason === null ? outcome : `${outcome} ${reason}`)).reverse();
