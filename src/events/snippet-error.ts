import { Ajv } from 'ajv';
import { idOf } from '../common/validation/ids';

/** A failure of a user's code in a browser, as the snippet reports it. */
export interface SnippetError {
  experimentId: number | null;
  variationId: number | null;
  /** First digits of the digest of the publication that the snippet belongs to; empty in a preview. */
  build: string;
  /** Which piece of code failed. */
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

const MAX_MESSAGE = 500;

const id = { type: ['string', 'integer', 'null'] };

const isReport = new Ajv({ allowUnionTypes: true }).compile<Properties>({
  type: 'object',
  required: ['build', 'where', 'message'],
  properties: {
    experiment_id: id,
    variation_id: id,
    build: { type: 'string', pattern: '^(?:[0-9a-f]{8,64})?$' },
    where: { type: 'string', minLength: 1, maxLength: 64 },
    message: { type: 'string' },
    environment: { type: ['string', 'null'], maxLength: 64 },
  },
});

/** Reads the properties of a message of the type `error`; null when they are none of a report. */
export function readSnippetError(properties: unknown): SnippetError | null {
  if (!isReport(properties)) {
    return null;
  }
  const { experiment_id = null, variation_id = null, build, where, message, environment = null } = properties;
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
    message: message.slice(0, MAX_MESSAGE),
    environment,
  };
}
