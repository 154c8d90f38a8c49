import { OUTCOMES } from '../../events/recent/outcomes';
import type { RecentEvents } from '../../events/recent/recent-events.record';
import type { Installation } from '../../projects/installation/installation.record';
import type { Reference, Shape } from '../reference';
import { defineTool, Tool, ToolSpec } from '../tool';

/* The fields of an installation check. */

const CHECK = {
  since: true,
  is_shared: true,
  snippet: true,
  last_message_at: true,
  last_exposure_at: true,
  last_counted_at: true,
  last_hour: true,
  experiments: true,
} as const;

/** Omits fields that are already known or are null in most messages. */
const MESSAGE = {
  received_at: true,
  outcome: true,
  reason: true,
  source: true,
  host: true,
  type: true,
  event: true,
  visitor_id: true,
  experiment: true,
  variation: true,
  goal_ids: true,
  value: true,
  detail: true,
} as const;

const RECENT = { since: true, is_shared: true, messages: MESSAGE } as const;

type Recent = Pick<RecentEvents, 'since' | 'is_shared'> & {
  messages: Pick<RecentEvents['messages'][number], keyof typeof MESSAGE>[];
};

export function installationTools(reference: Reference): readonly Tool[] {
  return [
    defineTool(reference, checker(reference.shape<Installation>('Installation', CHECK))),
    defineTool(reference, watcher(reference.shape<Recent>('RecentEvents', RECENT))),
  ];
}

const messages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`;

const checker = (checks: Shape<Installation>): ToolSpec => ({
  name: 'check_installation',
  title: 'Check the installation',
  description: 'Whether the snippet has been seen and messages arrive, and why some are rejected.',
  effect: 'reads',
  operation: 'checkInstallation',
  run: async (args, api) => {
    const data = checks.take((await api.ask(args)).body);
    const { snippet, last_hour } = data;
    const seen = snippet.last_seen_at === null ? 'not seen' : `last seen at ${snippet.last_seen_at}`;
    return {
      text: `The snippet was ${seen} (known since ${data.since}). Last hour: ${messages(last_hour.accepted)} accepted, ${last_hour.rejected} rejected.`,
      data: { ...data },
    };
  },
});

const watcher = (events: Shape<Recent>): ToolSpec => ({
  name: 'list_recent_events',
  title: 'List recent messages',
  description: 'The last 200 messages with outcome and reason, newest first.',
  effect: 'reads',
  operation: 'listRecentEvents',
  query: ['outcome', 'since'],
  args: {
    outcome: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', title: 'outcome', enum: OUTCOMES },
      description: undefined,
    },
    since: { description: 'ISO 8601.' },
  },
  run: async (args, api) => {
    const data = events.take((await api.ask(args)).body);
    return {
      text: `${messages(data.messages.length)} found. Only the last 200 messages are known, and none from before ${data.since}.`,
      data: { ...data },
    };
  },
});
