import { ApiError, type OfrepCode } from '../../common/errors/api-errors';
import type { JsonSchema } from '../../common/validation/json-schema';
import { schemaCheck } from '../../common/validation/schema-check';
import type { SchemaFailure } from '../../common/validation/schema-failures';
import { MAX_DEPTH } from '../../common/validation/values';
import { GIVEN_VISITOR_ID } from '../../events/visitors';
import { assign, Attributes, Subject, subjectOf } from '../evaluation';
import type { DecidableExperiment } from '../published';
import { ATTRIBUTES } from '../attribute-names';
import { attributesFrom, type Visitor } from './visitor';

/*
 * OpenFeature Remote Evaluation Protocol (OFREP): each experiment is a flag, and the `api_name`s of its variations are
 * its values.
 */

/** The values of `excluded_by`, by the reason why a decision has no variation. */
export const EXCLUDED_BY = {
  excluded: 'exclusion_group',
  audience: 'audience',
  traffic: 'traffic',
} as const;

/** The evaluation of one flag. If it has no value, the caller's default applies. */
export interface Evaluation {
  key: string;
  /** `DEFAULT` is an OpenFeature reason that OFREP does not list. Callers get it only if they ask for it. */
  reason: 'SPLIT' | 'UNKNOWN' | 'DISABLED' | 'DEFAULT';
  value?: string;
  variant?: string;
  metadata: {
    experiment_id: number;
    variation_id?: number;
    phase?: number;
    excluded_by?: (typeof EXCLUDED_BY)[keyof typeof EXCLUDED_BY];
    /** Whether the exposure has been stored; absent unless the caller asked to record it. */
    recorded?: boolean;
    revision: number;
  };
}

/** An OFREP error, with Gosset's `code` and `message`. @param key the flag's key; null if all flags were requested */
export function ofrepError(errorCode: OfrepCode, errorDetails: string, key: string | null): ApiError {
  return new ApiError(errorCode, errorDetails, { ...(key === null ? {} : { key }), errorCode, errorDetails });
}

export const FLAG_REQUEST = {
  type: 'object',
  description: 'The evaluation context.',
  required: ['context'],
  properties: {
    context: {
      type: 'object',
      description: 'Id of the visitor and attributes for audiences.',
      required: ['targetingKey'],
      properties: {
        targetingKey: {
          ...GIVEN_VISITOR_ID,
          minLength: 1,
          description: 'Id of the visitor: printable ASCII.',
        },
      },
      additionalProperties: true,
      'x-maxDepth': MAX_DEPTH,
    },
  },
} as const satisfies JsonSchema;

const check = schemaCheck(FLAG_REQUEST);

/**
 * Reads the body of an evaluation request.
 * @param body undefined if it is not JSON
 * @throws ApiError (400) in the OFREP format, which reports one error at a time
 */
export function readSubject(body: unknown, key: string | null): Subject {
  const [failure] = check(body);
  if (failure !== undefined) {
    const [code, details] = refusalOf(failure);
    throw ofrepError(code, details, key);
  }
  const { targetingKey: id, ...attributes } = (body as { context: { targetingKey: number | string } })
    .context;
  return subjectOf(String(id), { ...attributes, ...derived(attributes) });
}

function refusalOf({ path, message, isMissing }: SchemaFailure): [OfrepCode, string] {
  if (path === 'body') {
    return ['PARSE_ERROR', message];
  }
  if (path === 'context.targetingKey' && isMissing) {
    return ['TARGETING_KEY_MISSING', 'The context has no targetingKey.'];
  }
  return ['INVALID_CONTEXT', isMissing ? 'The context must be an object.' : message];
}

/** Attributes that are derived from the context's property of the same name, in the form that conditions compare. */
const NORMALIZED: ReadonlySet<string> = new Set([ATTRIBUTES.url, ATTRIBUTES.referrer, ATTRIBUTES.country]);

/** The attributes derived from the context. Other attributes that are set in the context itself take precedence. */
function derived(attributes: Attributes): Attributes {
  const textAt = (name: string): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? value : undefined;
  };
  const found = attributesFrom({
    userAgent: textAt('userAgent'),
    locale: textAt('locale'),
    country: textAt('country'),
    url: textAt('url'),
    referrer: textAt('referrer'),
  });
  const isNew = ([name]: [string, unknown]): boolean =>
    NORMALIZED.has(name) || !Object.hasOwn(attributes, name);
  return Object.fromEntries(Object.entries(found).filter(isNew));
}

/** The visitor's device type, for results by device. */
export function deviceOf({ attributes }: Subject): Visitor['device'] {
  const { [ATTRIBUTES.device]: type, userAgent } = attributes;
  return {
    ...(typeof type === 'string' ? { type } : {}),
    userAgent: typeof userAgent === 'string' ? userAgent : '',
  };
}

/**
 * Evaluates the flag of a live experiment.
 * @param hasValueAlways whether visitors outside the experiment get the value of the original
 */
export function evaluate(
  experiment: DecidableExperiment,
  subject: Subject,
  revision: number,
  hasValueAlways: boolean,
): Evaluation {
  const { id: experiment_id, api_name: key, phase, rule, variations, original } = experiment;
  const { variation, reason } = assign(rule, subject);
  const value = variations.find(({ id }) => id === variation);
  if (variation === null || value === undefined) {
    const excluded_by = isOutside(reason) ? EXCLUDED_BY[reason] : EXCLUDED_BY.traffic;
    const metadata = { experiment_id, excluded_by, revision };
    return hasValueAlways && original !== null
      ? { key, reason: 'DEFAULT', value: original, variant: original, metadata }
      : { key, reason: 'UNKNOWN', metadata };
  }
  return {
    key,
    reason: 'SPLIT',
    value: value.api_name,
    variant: value.api_name,
    metadata: {
      experiment_id,
      variation_id: variation,
      ...(phase === undefined ? {} : { phase }),
      revision,
    },
  };
}

const isOutside = (reason: string): reason is keyof typeof EXCLUDED_BY => reason in EXCLUDED_BY;

/** The evaluation of a flag whose experiment is not live. */
export const disabled = (
  { id, api_name }: { id: number; api_name: string },
  revision: number,
): Evaluation => ({
  key: api_name,
  reason: 'DISABLED',
  metadata: { experiment_id: id, revision },
});
