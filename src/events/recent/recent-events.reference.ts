import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { LiveOperation } from '../../common/openapi/operations';
import { LINK_REFUSALS } from '../links/link-request';
import { REJECTIONS } from '../messages';
import { RecentEvents } from './recent-events.record';
import { OUTCOMES } from './outcomes';
import { LATE, WITH_REJECTED } from './recent-message';
import { REFUSED_REASONS } from './refused-requests';

const listOf = (reasons: Readonly<Record<string, string>>): string =>
  Object.entries(reasons)
    .map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`)
    .join('\n');

const DESCRIPTION = `Returns the project's last 200 messages with their outcomes, newest first. Use it to find out why events do not
arrive. It includes messages from the snippet, from \`/v1\`, SDKs and OFREP, and trusted events, but not imports.

| outcome | meaning |
|---|---|
| \`accepted\` | stored; the reason \`late\` means that it arrived more than 72 hours after it happened; another reason says why its link was not stored |
| \`duplicate\` | accepted; it is already stored and counts once |
| \`excluded\` | accepted and stored; its visitor is excluded from the results |
| \`ignored\` | accepted; neither an event nor a link between ids, such as \`group\`; with a reason, a link that was not stored |
| \`rejected\` | not stored; \`reason\` is the same as in the receipt (see \`POST /v1/batch\`), or \`${WITH_REJECTED}\` if \`POST /v1/track\` stored nothing because of another event |
| \`refused\` | the whole request was refused before its messages were read |

Reasons for links that were not stored:

${listOf(LINK_REFUSALS)}

Reasons for refused requests:

${listOf(REFUSED_REASONS)}

A refused request is listed only if the server can identify its project: the client key must be valid, and if the body could not be read, the key must have been sent outside it. Refused requests with an API token are not listed. Error reports of snippets have the type \`error\`.

The list is kept in memory, for the 200 projects that received messages most recently. With \`REDIS_URL\`, the processes share it with
a delay of about half a second, and it is kept for two days after the last message. Long strings are truncated. IP addresses and page
paths are not kept. The response has no ETag.`;

/** API reference for the list of recent messages. */
export const RecentEventsOperation = (): MethodDecorator =>
  applyDecorators(
    LiveOperation(
      RecentEvents,
      {
        id: 'listRecentEvents',
        summary: 'List recent messages and their outcomes',
        description: DESCRIPTION,
      },
      { canFail: true },
    ),
    ApiQuery({
      name: 'outcome',
      required: false,
      description: `Return only these outcomes, comma-separated or repeated: ${OUTCOMES.join(', ')}.`,
      schema: { type: 'string' },
      example: 'rejected,refused',
    }),
    ApiQuery({
      name: 'since',
      required: false,
      description: 'Return only messages received after this time (ISO 8601).',
      schema: { type: 'string', format: 'date-time' },
      example: '2026-05-01T09:30:00Z',
    }),
  );

const OTHERS = {
  [LATE]: 'It arrived more than 72 hours after it happened.',
  [WITH_REJECTED]: 'Another event in the same request was rejected, so none were stored.',
};

const TEXTS: Readonly<Record<string, string>> = {
  ...LINK_REFUSALS,
  ...REJECTIONS,
  ...REFUSED_REASONS,
  ...OTHERS,
};

/**
 * The explanation of a reason as plain text. A reason from a different version may be unknown; it is then returned
 * unchanged.
 */
export const reasonText = (reason: string): string => (TEXTS[reason] ?? reason).replaceAll('`', '');
