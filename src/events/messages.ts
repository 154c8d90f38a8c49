import { Ajv } from 'ajv';

/** Why an event was not stored. */
export const REJECTIONS = {
  invalid_message: 'The message is no object, or one of its fields has a wrong type.',
  unknown_type: 'The type is neither track nor page.',
  invalid_visitor: 'The anonymousId is not 1 to 64 printable ASCII characters.',
  invalid_message_id: 'The messageId is missing or longer than 255 characters.',
  invalid_timestamp: 'The timestamp is not ISO 8601, or there is no such moment.',
  timestamp_in_future: 'The timestamp of an imported event lies in the future.',
  unknown_event: 'The event names no goal of the project.',
  wrong_goal_type: 'The goal is of another type.',
  invalid_value: 'The value is no decimal between -1,000,000,000 and 1,000,000,000.',
  invalid_url: 'The url is no absolute address of at most 2,048 characters.',
  no_matching_page: 'No pageview goal has a page that matches the url.',
  unknown_experiment: 'The project has no such experiment.',
  unknown_variation: 'The experiment has no such variation.',
  experiment_in_preview: 'The experiment was in preview.',
  experiment_not_running: 'The experiment was not running at that time.',
  bot: 'The user agent is that of a bot.',
} as const;

export type Rejection = keyof typeof REJECTIONS;

/** Reasons that messages of a batch cannot have, but imported events or other routes can. */
export const NOT_COLLECTED: readonly Rejection[] = ['timestamp_in_future', 'wrong_goal_type'];

/** One message of a batch, in the shape of Segment's HTTP API; ids and values may also be text. */
export interface Message {
  type: string;
  event?: string | null;
  anonymousId?: string | null;
  messageId?: string | null;
  timestamp?: unknown;
  properties?: {
    experiment_id?: number | string | null;
    variation_id?: number | string | null;
    value?: unknown;
    url?: string | null;
  } | null;
  context?: {
    device?: { type?: string | null } | null;
    userAgent?: string | null;
    library?: { name?: string | null } | null;
  } | null;
}

/** The body of `POST /v1/batch`; its messages are checked one by one. */
export interface Batch {
  writeKey?: unknown;
  sentAt?: unknown;
  batch: unknown[];
}

const text = { type: 'string', nullable: true };
const id = { type: ['string', 'integer', 'null'] };
const object = (properties: object) => ({ type: 'object', nullable: true, properties });

const ajv = new Ajv({ allowUnionTypes: true });

/** Has a message the fields it needs, with the right types? Other fields are nobody's business. */
export const isMessage = ajv.compile<Message>({
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: 'string' },
    event: text,
    anonymousId: text,
    messageId: text,
    properties: object({ experiment_id: id, variation_id: id, url: text }),
    context: object({
      device: object({ type: text }),
      userAgent: text,
      library: object({ name: text }),
    }),
  },
});

/** Can the body as a whole be read? */
export const isBatch = ajv.compile<Batch>({
  type: 'object',
  required: ['batch'],
  properties: { batch: { type: 'array' } },
});
