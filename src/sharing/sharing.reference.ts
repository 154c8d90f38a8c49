import { invalid, jsonAnswer, refusal } from '../common/openapi/client-key';
import { ResultEntry } from '../results/result.record';
import { FILTER_PARAMETERS } from '../results/results.reference';
import { IMAGE_KINDS } from './image-query';

/* What the reference says about what whoever has a share address can see. */

const PAGE = `
What people open: the results of the experiment as a page, with verdicts in words, tables and plots. Who asks for
\`application/json\` gets what \`showResults\` answers. The token in the address is the secret: no API token is needed,
and \`shares:rotate\` of the admin command makes the address lead nowhere. Search engines are told to stay away.
`.trim();

const PLOT = `
How the figure of a goal developed, with its ranges, as an image for wikis, mails and dashboards: with a heading and a
legend, light or dark as its reader prefers. It is drawn anew when something has happened; until then its \`ETag\` makes
asking again cheap. An experiment that nobody has taken part in has an image that says so.
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
    '`rate`: the figure that the goal is judged by, conversion rate or value per participant. `uplift`: its change against the original.',
  schema: { type: 'string', enum: [...IMAGE_KINDS], default: 'rate' },
};

const FILTER = FILTER_PARAMETERS.map((parameter) => ({ ...parameter, in: 'query' }));

const text = (description: string, example: string, type: string) => ({
  [type]: { schema: { type: 'string', description }, example },
});

const FAILURES = {
  404: refusal('The address leads to nothing: not to an experiment, or not to a goal of it.', 'Not Found'),
  422: invalid({ endDate: ['The endDate may not be before the startDate.'] }),
  500: refusal('Something went wrong in the server.', 'Server Error'),
  503: refusal('The database cannot be reached.', 'Service Unavailable', ['Retry-After']),
};

/** The paths of what is shared, as the OpenAPI document has them. */
export const sharingPaths = {
  '/share/{token}': {
    parameters: [TOKEN],
    get: {
      tags: ['Results'],
      operationId: 'showSharedResults',
      summary: 'Show shared results',
      description: PAGE,
      parameters: FILTER,
      responses: {
        200: {
          description: 'The page, or the figures.',
          content: {
            ...text('A page without scripts.', '<!doctype html>...', 'text/html'),
            ...jsonAnswer('', { type: 'array', items: { $ref: '#/components/schemas/ResultEntry' } }, [
              ResultEntry.example,
            ]).content,
          },
        },
        ...FAILURES,
      },
    },
  },
  '/share/{token}/goals/{goal}.svg': {
    parameters: [TOKEN, GOAL],
    get: {
      tags: ['Results'],
      operationId: 'showSharedPlot',
      summary: 'Show a plot of shared results',
      description: PLOT,
      parameters: [KIND, ...FILTER],
      responses: {
        200: {
          description: 'The image.',
          content: text(
            'An image without scripts.',
            '<svg xmlns="http://www.w3.org/2000/svg">...</svg>',
            'image/svg+xml',
          ),
        },
        304: { description: 'Nothing has changed since the ETag in If-None-Match.' },
        ...FAILURES,
      },
    },
  },
};
