import { ValidationError } from '../common/errors/api-errors';
import { querySwitch } from '../common/http/query-switch';
import { readBoth } from '../common/validation/failures';
import type { Payload } from './build/payload';
import type { Published } from './published';

/** Describes the `environment` parameter. */
export const ENVIRONMENT = {
  name: 'environment',
  in: 'query',
  required: false,
  description: 'The api_name of an environment. Without it, the default environment is used.',
  schema: { type: 'string' },
  example: 'production',
};

/**
 * The `api_name` of the environment in `?environment=`, or of the default environment if it is missing.
 * @throws ValidationError that lists the existing environments
 */
export function environmentOf(query: unknown, { environments }: Published): string {
  const { environment = environments[0] } = query as Record<string, unknown>;
  if (typeof environment !== 'string' || !environments.includes(environment)) {
    const message = `The environment must be one of: ${environments.join(', ')}.`;
    throw new ValidationError([{ path: 'environment', message }]);
  }
  return environment;
}

/** Describes the `experiments` parameter, which adds experiments to a payload. */
export const EXPERIMENTS = {
  name: 'experiments',
  in: 'query',
  required: false,
  description:
    '`1` or `true`: include the experiments that change pages. SDKs run them automatically, and each one counts the visitor as a participant.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
};

/**
 * The payload for `?environment=` and `?experiments=1`. SDKs run everything in `experiments` automatically, so every
 * visitor participates in all of these experiments as soon as a page loads.
 * @throws ValidationError if a parameter is invalid
 */
export function requestedPayload(query: unknown, published: Published): Payload | null {
  const [environment, hasExperiments] = readBoth(
    () => environmentOf(query, published),
    () => querySwitch(query, 'experiments'),
  );
  const payload = published.payloads.get(environment);
  const variants = payload === undefined ? null : variantsOf(payload);
  return variants && (hasExperiments ? variants.whole : variants.features);
}

interface Variants {
  /** The payload without experiments. */
  features: Payload;
  /** The payload with the experiments that can run without the snippet. */
  whole: Payload;
}

/**
 * Payloads are immutable, so each variant of a payload is created only once. The cache of serialized payloads uses
 * these objects as keys.
 */
const known = new WeakMap<Payload, Variants>();

function variantsOf(payload: Payload): Variants {
  const made = known.get(payload) ?? {
    features: { ...payload, experiments: [] },
    whole: { ...payload, experiments: payload.experiments.filter(runsWithoutSnippet) },
  };
  known.set(payload, made);
  return made;
}

const SNIPPET_GLOBAL = /\bgosset\b/;

/**
 * Excludes experiments whose script needs the snippet: an SDK would apply the styles and then fail, so visitors would
 * see only half of a variation.
 */
const runsWithoutSnippet = ({ variations }: Payload['experiments'][number]): boolean =>
  !variations.some(({ js }) => js !== undefined && SNIPPET_GLOBAL.test(js));
