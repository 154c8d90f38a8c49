import type { NamedRef } from './webhook-events';

/** The stored body of a message. */
export interface EventBody {
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { project_id: number; experiment?: NamedRef | null };
}

/** Names may not become mentions or links (`<!channel>`). */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const nameOf = (ref: unknown): string => escaped((ref as NamedRef).name);

const SENTENCES: Readonly<Record<string, (data: EventBody['data']) => string>> = {
  'experiment.started': () => 'was started.',
  'experiment.paused': () => 'was paused.',
  'experiment.archived': () => 'was archived.',
  'experiment.schedule_refused': ({ move, message }) =>
    `could not be ${move === 'running' ? 'started' : 'ended'} as scheduled: ${escaped(String(message))}`,
  'experiment.verdict': ({ goal, variation, verdict, previous_verdict }) =>
    `has a new verdict on ${nameOf(variation)} for ${nameOf(goal)}: ${escaped(String(verdict))}, before ${escaped(String(previous_verdict))}.`,
  'experiment.sample_ratio_mismatch': ({ detected }) =>
    detected === true ? 'has a sample ratio mismatch.' : 'no longer has a sample ratio mismatch.',
  'experiment.guardrail': ({ goal, variation }) =>
    `tripped a guardrail: ${nameOf(variation)} is significantly worse for ${nameOf(goal)}.`,
  'project.published': ({ revision }) => `published revision ${Number(revision)}.`,
  'snippet.errors': ({ count, since }) =>
    `has ${Number(count)} snippet errors since ${escaped(String(since))}.`,
  'webhook.test': () => 'sent a test of this webhook.',
};

/** The message for Slack in its mrkdwn, one line. @param publicUrl address of this server */
export function slackText({ type, data }: EventBody, publicUrl: string): string {
  const project = `${publicUrl}/projects/${data.project_id}`;
  const subject =
    data.experiment === undefined || data.experiment === null
      ? `<${project}|Project ${data.project_id}>`
      : `<${project}/experiments/${data.experiment.id}|${nameOf(data.experiment)}>`;
  return `${subject} ${SENTENCES[type]?.(data) ?? escaped(type)}`;
}
