import type { FeatureDefinition } from '@growthbook/growthbook';
import { evaluateFeatures } from '@growthbook/proxy-eval';
import { ValidationError } from '../../common/errors/api-errors';
import { text } from '../../common/validation/checks';
import type { FieldCheck } from '../../common/validation/fields';
import { anyObject, checkedBody } from '../../common/validation/shapes';
import { isObject, isTooDeep } from '../../common/validation/submission';
import { isVisitorId, VISITOR_ID } from '../../events/visitors';
import type { Payload } from '../build/payload';
import type { Attributes } from '../evaluation';

/** What SDKs send to have a payload evaluated for them. */
export interface EvaluationRequest {
  attributes: Attributes;
  forcedVariations: Record<string, number>;
  forcedFeatures: [string, unknown][];
  url?: string;
}

const MAX_ADDRESS = 8_192;

const forcedVariations: FieldCheck = (value, label) =>
  isObject(value) && Object.values(value).every((index) => Number.isInteger(index))
    ? null
    : `The ${label} must be an object with the index of a variation for each key.`;

const isFeature = (pair: unknown): boolean => Array.isArray(pair) && typeof pair[0] === 'string';

const forcedFeatures: FieldCheck = (value, label) =>
  Array.isArray(value) && value.every(isFeature) && !isTooDeep(value)
    ? null
    : `The ${label} must be a list of pairs: the key of a feature and its value.`;

/** Who has no id takes part in nothing; an id must be one that events can have, too. */
const attributes: FieldCheck = (value, label) => {
  const id = (Object(value) as Attributes).id ?? '';
  return id === '' || (typeof id === 'string' && isVisitorId(id))
    ? anyObject(value, label)
    : [{ path: 'id', message: `The ${label} id must be ${VISITOR_ID}.` }];
};

const CHECKS: Record<keyof EvaluationRequest, FieldCheck> = {
  attributes,
  forcedVariations,
  forcedFeatures,
  url: text(MAX_ADDRESS),
};

/** SDKs of other languages and versions may send more, which is not ours to refuse. */
const requestCheck: FieldCheck = (body) =>
  Object.entries(CHECKS).flatMap(([field, check]) => {
    const value = (body as Record<string, unknown>)[field] ?? null;
    const found = value === null ? null : check(value, field);
    return typeof found === 'string'
      ? [{ path: field, message: found }]
      : (found ?? []).map(({ path, message }) => ({ path: `${field}.${path}`, message }));
  });

/**
 * Reads the body of a request for remote evaluation.
 * @throws ValidationError with everything that is wrong
 */
export function readEvaluationRequest(body: unknown): EvaluationRequest {
  const given = checkedBody(requestCheck, body) as Partial<Record<keyof EvaluationRequest, unknown>>;
  const { attributes, forcedVariations: variations, forcedFeatures: features, url } = given;
  return {
    attributes: (attributes ?? {}) as Attributes,
    forcedVariations: (variations ?? {}) as Record<string, number>,
    forcedFeatures: (features ?? []) as [string, unknown][],
    ...(typeof url === 'string' ? { url } : {}),
  };
}

/**
 * The payload as it is for one visitor: no rules, only what they come to.
 * @throws ValidationError when the evaluator cannot cope with the request
 */
export async function evaluatePayload(
  payload: Payload,
  { forcedFeatures: forced, ...request }: EvaluationRequest,
): Promise<{ features: Record<string, FeatureDefinition>; experiments: object[] }> {
  try {
    const features = new Map(forced);
    return (await evaluateFeatures({ payload, ...request, forcedFeatures: features })) as Payload;
  } catch {
    throw new ValidationError([
      {
        path: 'attributes',
        message: 'The payload cannot be evaluated with these attributes and forced values.',
      },
    ]);
  }
}
