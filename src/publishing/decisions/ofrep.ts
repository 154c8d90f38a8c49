import { ApiError } from '../../common/errors/api-errors';
import { isObject, isTooDeep, MAX_DEPTH } from '../../common/validation/submission';
import { isVisitorId, VISITOR_ID } from '../../events/visitors';
import { assign, Attributes } from '../evaluation';
import type { DecidableExperiment } from '../published';
import { attributesFrom } from './visitor-attributes';

/* The OpenFeature Remote Evaluation Protocol: an experiment is a flag whose values are the names of its variations. */

/** The evaluation of one flag; without a value the caller's own default counts. */
export interface Evaluation {
  key: string;
  reason: 'SPLIT' | 'UNKNOWN' | 'DISABLED';
  value?: string;
  variant?: string;
  metadata: {
    experiment_id: number;
    variation_id?: number;
    excluded_by?: 'audience' | 'traffic';
    revision: number;
  };
}

/** For whom flags are evaluated. */
export interface Subject {
  id: string;
  attributes: Attributes;
}

type ErrorCode = 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'GENERAL' | 'FLAG_NOT_FOUND';

/** A refusal in the words of the protocol. @param key of the flag; null for all flags at once */
export function ofrepError(
  status: number,
  errorCode: ErrorCode,
  errorDetails: string,
  key: string | null,
): ApiError {
  return new ApiError(status, errorDetails, { ...(key === null ? {} : { key }), errorCode, errorDetails });
}

/**
 * Reads the body of a request for evaluation.
 * @param body undefined when it is no JSON
 * @throws ApiError (400) in the words of the protocol
 */
export function readSubject(body: unknown, key: string | null): Subject {
  const refusal = (code: ErrorCode, details: string): ApiError => ofrepError(400, code, details, key);
  if (!isObject(body)) {
    throw refusal('PARSE_ERROR', 'The body must be a JSON object.');
  }
  const { context } = body;
  if (!isObject(context)) {
    throw refusal('INVALID_CONTEXT', 'The context must be an object.');
  }
  if (isTooDeep(context)) {
    throw refusal('INVALID_CONTEXT', `The context is nested deeper than ${MAX_DEPTH} levels.`);
  }
  const { targetingKey: id, ...attributes } = context;
  if (id === undefined || id === null || id === '') {
    throw refusal('TARGETING_KEY_MISSING', 'The context has no targetingKey.');
  }
  if (typeof id !== 'string' || !isVisitorId(id)) {
    throw refusal('INVALID_CONTEXT', `The targetingKey must be ${VISITOR_ID}.`);
  }
  return { id, attributes: { ...attributes, ...derived(attributes) } };
}

/** What the context says in other words; what it says in the words of conditions counts more. */
function derived(attributes: Attributes): Attributes {
  const textAt = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const found = attributesFrom({
    userAgent: textAt('userAgent'),
    locale: textAt('locale'),
    url: textAt('url'),
    referrer: textAt('referrer'),
  });
  const isNew = ([name]: [string, unknown]): boolean => name === 'url' || !Object.hasOwn(attributes, name);
  return Object.fromEntries(Object.entries(found).filter(isNew));
}

/** Evaluates the flag of an experiment that is live. */
export function evaluate(experiment: DecidableExperiment, subject: Subject, revision: number): Evaluation {
  const { id: experiment_id, api_name: key, rule, variations } = experiment;
  const { variation, reason } = assign(rule, subject.id, subject.attributes);
  const value = variations.find(({ id }) => id === variation);
  if (variation === null || value === undefined) {
    const excluded_by = reason === 'audience' ? reason : 'traffic';
    return { key, reason: 'UNKNOWN', metadata: { experiment_id, excluded_by, revision } };
  }
  return {
    key,
    reason: 'SPLIT',
    value: value.api_name,
    variant: value.api_name,
    metadata: { experiment_id, variation_id: variation, revision },
  };
}

/** The evaluation of an experiment that is not live. */
export const disabled = (
  { id, api_name }: { id: number; api_name: string },
  revision: number,
): Evaluation => ({
  key: api_name,
  reason: 'DISABLED',
  metadata: { experiment_id: id, revision },
});
