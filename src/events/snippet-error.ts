import { MAX_ERROR_MESSAGE } from '../common/limits';
import { cutCopy } from '../common/text/strings';
import { idOf } from '../common/validation/values';
import type { JsonSchema } from '../common/validation/json-schema';
import { schemaTest } from '../common/validation/schema-check';

/** An error in a project's code in a browser, reported by the snippet. */
export interface SnippetError {
  experimentId: number | null;
  variationId: number | null;
  /** First digits of the publication digest; empty in a preview. */
  build: string;
  /** The code that failed. */
  where: string;
  message: string;
  environment: string | null;
}

interface Properties {
  experiment_id?: number | string | null;
  variation_id?: number | string | null;
  build: string;
  where: string;
  message: string;
  environment?: string | null;
}

const id = { type: ['string', 'integer', 'null'] };

/** The properties of a message of type `error`. */
export const SNIPPET_ERROR = {
  type: 'object',
  description: 'Details of the error.',
  required: ['build', 'where', 'message'],
  properties: {
    experiment_id: { ...id, description: 'The experiment whose code failed.' },
    variation_id: { ...id, description: 'The variation whose code failed.' },
    build: {
      type: 'string',
      pattern: '^(?:[0-9a-f]{8,64})?$',
      description: "First digits of the publication's digest; empty in a preview.",
    },
    where: { type: 'string', minLength: 1, maxLength: 64, description: 'The code that failed.' },
    message: {
      type: 'string',
      description: 'Error message from the browser; the first 500 characters are kept.',
    },
    environment: {
      type: ['string', 'null'],
      maxLength: 64,
      description: "The api_name of the page's environment.",
    },
  },
} as const satisfies JsonSchema;

const isReport = schemaTest(SNIPPET_ERROR);

/** Reads the properties of a message of type `error`; null if they are not valid. */
export function readSnippetError(properties: unknown): SnippetError | null {
  if (!isReport(properties)) {
    return null;
  }
  const {
    experiment_id = null,
    variation_id = null,
    build,
    where,
    message,
    environment = null,
  } = properties as Properties;
  const [experimentId, variationId] = [idOf(experiment_id), idOf(variation_id)];
  if (
    (experimentId === null) !== (experiment_id === null) ||
    (variationId === null) !== (variation_id === null)
  ) {
    return null;
  }
  return {
    experimentId,
    variationId,
    build,
    where,
    message: cutCopy(message, MAX_ERROR_MESSAGE),
    environment,
  };
}
