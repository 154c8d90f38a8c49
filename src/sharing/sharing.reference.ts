import { invalid, jsonAnswer, refusal, WITHOUT_SECURITY } from '../common/openapi/client-key';
import { UNCHANGED } from '../common/openapi/responses';
import { ResultEntry } from '../results/result.record';
import { FILTER_PARAMETERS } from '../results/results.reference';
import { IMAGE_SIZES } from '../presentation/components/standalone-plot';
import { IMAGE_KINDS } from './goal-plot';
import { RENDERING_UNITS, RENDERING_UNITS_PER_MINUTE } from './share-limit';

/* Reference for shared results. */

const PAGE = `
Returns the results of the experiment as a page with worded verdicts, tables and plots. With \`Accept: application/json\` the
response is the same as for \`showResults\`. The token in the URL is the secret: no API token is needed. The admin command
\`shares:rotate\` revokes the link. Pages are \`noindex\`. The page contains the plots of the first three goals; the plots of the other goals are loaded as images. \`/share/{token}/goals/{goal}\` shows one goal. The page is re-rendered after a change, and at
least once an hour. Until then, a request with its \`ETag\` gets 304. Per minute, each client address may request ${RENDERING_UNITS_PER_MINUTE / RENDERING_UNITS.page}
rendered pages, or ${RENDERING_UNITS_PER_MINUTE} rendered images or JSON responses.
`.trim();

const PLOT = `
Returns the trend of a goal with its intervals, as an image for wikis, e-mails and dashboards. The image has a heading and a legend, and
follows the reader's light or dark mode. It is rendered again when the results change. Until then, a request with its
\`ETag\` gets 304. For an experiment without participants, the image contains a message.
`.trim();

const EXAMPLE_TOKEN = 'q3Yb2kQe7RtUw9ZxC3vBn1mAsq3Yb2kQe7RtUw9ZxC3';

const TOKEN = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'The secret part of the `share_url` in `results/info`.',
  schema: { type: 'string' },
  example: EXAMPLE_TOKEN,
};

const GOAL = {
  name: 'goal',
  in: 'path',
  required: true,
  description: 'Id of a goal that is attached to the experiment.',
  schema: { type: 'integer', minimum: 1 },
  example: 3,
};

const KIND = {
  name: 'kind',
  in: 'query',
  required: false,
  description:
    '`rate`: the metric of the goal, conversion rate or value per participant. `uplift`: the relative change from the original.',
  schema: { type: 'string', enum: [...IMAGE_KINDS], default: 'rate' },
};

const SIZE = {
  name: 'size',
  in: 'query',
  required: false,
  description: '`large`: 720 pixels wide. `small`: 320 pixels wide, for phones.',
  schema: { type: 'string', enum: [...IMAGE_SIZES], default: 'large' },
};

const FILTER = FILTER_PARAMETERS.map((parameter) => ({ ...parameter, in: 'query' }));

const text = (description: string, example: string, type: string) => ({
  [type]: { schema: { type: 'string', description }, example },
});

const FAILURES = {
  404: refusal('NOT_FOUND', 'No experiment has this token, or the goal is not attached to it.'),
  422: invalid({ endDate: ['The endDate may not be before the startDate.'] }),
  429: refusal('RATE_LIMITED', 'Too many requests from this address in the last minute.', ['Retry-After']),
  500: refusal('SERVER_ERROR', 'Internal server error.'),
  503: refusal('UNAVAILABLE', 'The database is unavailable, or too many pages are being rendered.', [
    'Retry-After',
  ]),
};

/** Browsers get errors as pages. */
const withPage = <T extends { content: object }>(failure: T): T => ({
  ...failure,
  content: { ...failure.content, ...text('A page with the message.', '<!doctype html>...', 'text/html') },
});

const PAGE_FAILURES = {
  ...FAILURES,
  404: withPage(FAILURES[404]),
  422: withPage(FAILURES[422]),
  429: withPage(FAILURES[429]),
  503: withPage(FAILURES[503]),
};

/** The OpenAPI paths of shared results. */
export const sharingPaths = {
  '/share/{token}': {
    parameters: [TOKEN],
    get: {
      tags: ['Results'],
      security: WITHOUT_SECURITY,
      operationId: 'showSharedResults',
      summary: 'Show shared results',
      description: PAGE,
      parameters: FILTER,
      responses: {
        200: {
          description: 'The page, or the results as JSON.',
          content: {
            ...text('A page without scripts.', '<!doctype html>...', 'text/html'),
            ...jsonAnswer('', { type: 'array', items: { $ref: '#/components/schemas/ResultEntry' } }, [
              ResultEntry.example,
            ]).content,
          },
        },
        304: UNCHANGED,
        ...PAGE_FAILURES,
      },
    },
  },
  '/share/{token}/goals/{goal}.svg': {
    parameters: [TOKEN, GOAL],
    get: {
      tags: ['Results'],
      security: WITHOUT_SECURITY,
      operationId: 'showSharedPlot',
      summary: 'Show a plot of shared results',
      description: PLOT,
      parameters: [KIND, SIZE, ...FILTER],
      responses: {
        200: {
          description: 'The image.',
          content: text(
            'An image without scripts.',
            '<svg xmlns="http://www.w3.org/2000/svg">...</svg>',
            'image/svg+xml',
          ),
        },
        304: UNCHANGED,
        ...FAILURES,
      },
    },
  },
  '/share/{token}/goals/{goal}': {
    parameters: [TOKEN, GOAL],
    get: {
      tags: ['Results'],
      security: WITHOUT_SECURITY,
      operationId: 'showSharedGoal',
      summary: 'Show one goal of shared results',
      description:
        'The page of one goal, with its plots and daily figures. The page of all results links to this page for goals whose plots are images. Filters, limits and `ETag` rules are the same as for that page.',
      parameters: FILTER,
      responses: {
        200: {
          description: 'The page.',
          content: text('A page without scripts.', '<!doctype html>...', 'text/html'),
        },
        304: UNCHANGED,
        ...PAGE_FAILURES,
      },
    },
  },
};
