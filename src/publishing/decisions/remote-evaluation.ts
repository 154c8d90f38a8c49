import type { FeatureDefinition } from '@growthbook/growthbook';
import { evaluateFeatures } from '@growthbook/proxy-eval';
import { ValidationError } from '../../common/errors/api-errors';
import { MAX_EVALUATION_ADDRESS } from '../../common/limits';
import { type JsonSchema, optionalText } from '../../common/validation/json-schema';
import { bodyReader } from '../../common/validation/schema-check';
import { MAX_DEPTH } from '../../common/validation/values';
import { GIVEN_VISITOR_ID, idText } from '../../events/visitors';
import { picked } from '../asked-attributes';
import type { Payload } from '../build/payload';
import type { Attributes } from '../evaluation';
import type { Published } from '../published';
import { payloadForVisitor } from './linear-payload';

/** A remote evaluation request of an SDK. */
export interface EvaluationRequest {
  attributes: Attributes;
  forcedVariations: Record<string, number>;
  forcedFeatures: [string, unknown][];
  url?: string;
}

/** SDKs of other languages and versions may send other fields, which are ignored. */
export const EVALUATION_REQUEST = {
  type: 'object',
  description: 'The visitor for whom the payload is evaluated.',
  properties: {
    attributes: {
      type: ['object', 'null'],
      description: 'Attributes of the visitor.',
      properties: {
        id: {
          ...GIVEN_VISITOR_ID,
          type: [...GIVEN_VISITOR_ID.type, 'null'],
          title: 'attributes id',
          // Visitors without an id do not participate. Events must be able to have the same id.
          pattern: GIVEN_VISITOR_ID.pattern.replace('{1,', '{0,'),
          description: 'Id of the visitor. Without it, the visitor participates in no experiment.',
        },
      },
      additionalProperties: true,
      'x-maxDepth': MAX_DEPTH,
    },
    forcedVariations: {
      type: ['object', 'null'],
      additionalProperties: { type: 'integer' },
      'x-message': 'must be an object with the index of a variation for each key',
      description: 'Index of the forced variation, from 0, by experiment key.',
    },
    forcedFeatures: {
      type: ['array', 'null'],
      items: {
        type: 'array',
        minItems: 1,
        prefixItems: [{ type: 'string' }],
        items: {},
        description: 'Key and value.',
      },
      'x-maxDepth': MAX_DEPTH,
      'x-message': 'must be a list of pairs: the key of a feature and its value',
      description: 'Forced values of features, regardless of the rules.',
    },
    url: { ...optionalText(MAX_EVALUATION_ADDRESS), description: 'URL of the current page.' },
  },
  additionalProperties: true,
} as const satisfies JsonSchema;

type EvaluationBody = { [K in keyof EvaluationRequest]?: EvaluationRequest[K] | null };

const read = bodyReader(EVALUATION_REQUEST);

/**
 * Reads the body of a remote evaluation request.
 * @throws ValidationError with all errors
 */
export function readEvaluationRequest(body: unknown): EvaluationRequest {
  const { attributes, forcedVariations, forcedFeatures, url } = read(body) as EvaluationBody;
  return {
    attributes: { ...attributes, ...(attributes?.id === undefined ? {} : { id: idText(attributes.id) }) },
    forcedVariations: forcedVariations ?? {},
    forcedFeatures: forcedFeatures ?? [],
    ...(typeof url === 'string' ? { url } : {}),
  };
}

/**
 * The payload for one visitor: results instead of rules. The evaluator copies its input for each experiment, so it gets
 * only the part that concerns one of them.
 * @throws ValidationError if the evaluator fails on the request
 */
export async function evaluatePayload(
  published: Published,
  payload: Payload,
  { forcedFeatures: forced, attributes: given, url, forcedVariations: variations }: EvaluationRequest,
): Promise<Payload> {
  try {
    const visitor = payloadForVisitor(published, payload, given, url ?? '');
    const { features, experiments } = visitor.payload;
    const rules = [...Object.values(features).flatMap(({ rules: own = [] }) => own), ...experiments];
    const context = {
      attributes: visitor.attributes,
      forcedVariations: picked(
        variations,
        rules.flatMap(({ key = [] }) => key),
      ),
      forcedFeatures: new Map(forced.filter(([name]) => Object.hasOwn(features, name))),
      ...(url === undefined ? {} : { url }),
    };
    // Separately, because the evaluator runs experiments first and adds their exposures to those of a feature.
    const evaluated = (part: Partial<Payload>): Promise<Payload> =>
      evaluateFeatures({ payload: part, ...context }) as Promise<Payload>;
    const [flags, changes] = [await evaluated({ features }), await evaluated({ experiments })];
    return {
      features: mapValues(flags.features, withoutForced),
      experiments: changes.experiments.map(visitor.restore),
    };
  } catch {
    throw new ValidationError([
      {
        path: 'attributes',
        message: 'The payload cannot be evaluated with these attributes and forced values.',
      },
    ]);
  }
}

/** Leaves out the exposures of forced variations, as the SDKs do when they evaluate a payload themselves. */
const withoutForced = ({ rules, ...feature }: FeatureDefinition): FeatureDefinition =>
  rules === undefined
    ? feature
    : {
        ...feature,
        rules: rules.map((rule) => ({
          ...rule,
          tracks: rule.tracks?.filter(({ result }) => result.hashUsed),
        })),
      };

const mapValues = <T>(record: Record<string, T>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
