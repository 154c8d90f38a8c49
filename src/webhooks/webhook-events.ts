/* The events that webhooks report, with the data that they contain in addition to `project_id` and `experiment`. */

/** A goal or variation in event data. */
export interface NamedRef {
  id: number;
  name: string;
  api_name: string;
}

/** An experiment has left or entered a status. */
interface StatusData {
  status: string;
  previous_status: string;
}

export interface WebhookData {
  'experiment.started': StatusData;
  /** The experiment has stopped running and is not archived. A deleted experiment has the status `pause`. */
  'experiment.paused': StatusData;
  'experiment.archived': StatusData;
  /** `move` is the status that the schedule could not set, and `message` is the reason as a sentence. */
  'experiment.schedule_refused': { move: 'running' | 'archive'; message: string };
  /** The verdict on one variation for one goal has changed, in either direction. */
  'experiment.verdict': { goal: NamedRef; variation: NamedRef; verdict: string; previous_verdict: string };
  /** `detected` is false when a mismatch has disappeared. */
  'experiment.sample_ratio_mismatch': { detected: boolean };
  /** A guardrail has been tripped. `difference` is the variation's difference from the original, in the goal's unit. */
  'experiment.guardrail': { goal: NamedRef; variation: NamedRef; difference: number };
  /** `previous_revision` is null for the first revision. */
  'project.published': { revision: number; previous_revision: number | null; reason: string };
  /**
   * `count` is the number of snippet errors that have not been reported yet, and `since` is the time of the first one.
   * This event is sent at most once an hour.
   */
  'snippet.errors': { count: number; since: string };
}

export type WebhookEvent = keyof WebhookData;

export const WEBHOOK_EVENTS = [
  'experiment.started',
  'experiment.paused',
  'experiment.archived',
  'experiment.schedule_refused',
  'experiment.verdict',
  'experiment.sample_ratio_mismatch',
  'experiment.guardrail',
  'project.published',
  'snippet.errors',
] as const satisfies readonly WebhookEvent[];

/** An event in a project or in one of its experiments. */
export type Happening = {
  [Type in WebhookEvent]: {
    type: Type;
    projectId: number;
    experimentId?: number;
    data: WebhookData[Type];
  };
}[WebhookEvent];
