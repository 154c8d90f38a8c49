import type { AutoExperiment, ConditionInterface, FeatureDefinition } from '@growthbook/growthbook';
import { evaluateFeatures } from '@growthbook/proxy-eval';
import { UnavailableError, ValidationError } from '../../common/errors/api-errors';
import { MAX_EVALUATION_ADDRESS } from '../../common/limits';
import { DECISIONS_FREE_MS, MatchingTime } from '../../common/patterns/matching-time';
import { optionalText, type JsonSchema } from '../../common/validation/json-schema';
import { bodyReader } from '../../common/validation/schema-check';
import { MAX_DEPTH } from '../../common/validation/values';
import { GIVEN_VISITOR_ID, idText } from '../../events/visitors';
import { matchesNormalized } from '../../resources/pages/page-matching';
import { experimentKey } from '../../events/exposure';
import type { Payload } from '../build/payload';
import { comparable } from '../comparable';
import { Attributes, HASH_ATTRIBUTE } from '../evaluation';
import { LinearConditions } from '../linear-conditions';
import type { DecidableExperiment, Published } from '../published';

/*
 * Callers can send any number of attributes, and the evaluator copies them for each experiment. Therefore, only
 * attributes that are used in conditions are passed on.
 */

/** The names of the attributes that the conditions use. */
function askedIn(conditions: readonly (ConditionInterface | undefined)[]): string[] {
  const names = new Set<string>();
  const collect = (condition: object): void => {
    for (const [name, value] of Object.entries(condition)) {
      if (name === '$not') {
        collect(value as object);
      } else if (Array.isArray(value)) {
        // Only $and, $or and $nor have lists. The names of attributes can also begin with a dollar sign.
        (value as object[]).forEach(collect);
      } else {
        names.add(name.split('.')[0]);
      }
    }
  };
  conditions.forEach((condition) => collect(condition ?? {}));
  return [...names];
}

/** Only the attributes with these names. */
function picked<T>(given: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
}

/*
 * A payload for the SDK evaluator on the server. It has no patterns, because the evaluator can take exponential time to
 * match them.
 */

interface LinearPayload {
  features: Record<string, FeatureDefinition>;
  experiments: AutoExperiment[];
  derive: (attributes: Attributes) => Attributes;
  /** Names of the attributes that the conditions use. */
  asked: readonly string[];
}

/** Payloads are immutable, so each one is rewritten only once. */
const rewritten = new WeakMap<Payload, LinearPayload>();

function linearPayload(payload: Payload): LinearPayload {
  const known = rewritten.get(payload);
  if (known !== undefined) {
    return known;
  }
  const conditions = new LinearConditions();
  const linear = <T extends Pick<AutoExperiment, 'condition'>>(rule: T): T =>
    rule.condition === undefined ? rule : { ...rule, condition: conditions.rewrite(rule.condition) };
  const features = Object.entries(payload.features).map(([name, feature]): [string, FeatureDefinition] => [
    name,
    { ...feature, rules: feature.rules?.map(linear) },
  ]);
  const made = {
    features: Object.fromEntries(features),
    experiments: payload.experiments.map(({ urlPatterns: _, ...experiment }) => linear(experiment)),
    derive: conditions.derive,
    asked: [HASH_ATTRIBUTE, ...askedIn(conditionsOf(payload))],
  };
  rewritten.set(payload, made);
  return made;
}

const conditionsOf = ({ features, experiments }: Payload): (ConditionInterface | undefined)[] =>
  [...Object.values(features).flatMap(({ rules = [] }) => rules), ...experiments].map(
    ({ condition }) => condition,
  );

/** The part of a payload that is evaluated for one visitor, and how to convert it back for browsers. */
interface VisitorsPayload {
  payload: Payload;
  attributes: Attributes;
  /** Converts an evaluated experiment to the form that browsers need. */
  restore: (evaluated: AutoExperiment) => AutoExperiment;
}

/**
 * The part of a payload that is relevant for a visitor.
 * @param url the URL of the visitor's page; without it, experiments with pages do not run
 */
function payloadForVisitor(
  { experiments }: Pick<Published, 'experiments'>,
  payload: Payload,
  given: Attributes,
  url: string,
): VisitorsPayload {
  const { features, experiments: linear, derive, asked } = linearPayload(payload);
  const targets = new Map(payload.experiments.map(({ key, urlPatterns }) => [key, urlPatterns]));
  const pages = new Map(experiments.map((each) => [experimentKey(each.id), each.pages]));
  const here = URL.canParse(url, ANYWHERE) ? new URL(url, ANYWHERE).href : null;
  const isHere = ({ key }: AutoExperiment): boolean =>
    targets.get(key) === undefined || (here !== null && isOnPage(pages.get(key) ?? [], here));
  const attributes = comparable(picked(given, asked));
  return {
    payload: { features, experiments: linear.filter(isHere) },
    attributes: { ...attributes, ...derive(attributes) },
    restore: (evaluated) => {
      const urlPatterns = targets.get(evaluated.key);
      return urlPatterns === undefined ? evaluated : { ...evaluated, urlPatterns };
    },
  };
}

/** Base for relative URLs, which the SDK interprets as paths on the current site. */
const ANYWHERE = 'https://_';

const isOnPage = (pages: DecidableExperiment['pages'], address: string): boolean =>
  pages.some(({ matcher }) => matchesNormalized(matcher, address));

/** A remote evaluation request from an SDK. */
interface EvaluationRequest {
  attributes: Attributes;
  forcedVariations: Record<string, number>;
  forcedFeatures: [string, unknown][];
  url?: string;
}

/** SDKs for other languages and other SDK versions may send additional fields, which are ignored. */
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
          // An empty id is allowed, but the visitor then does not participate. Any other id must also be valid in
          // events.
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
      'x-message': 'must be an object that maps each key to a variation index',
      description: 'Index of the forced variation, starting at 0, by experiment key.',
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
      'x-message': 'must be a list of [feature key, value] pairs',
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
 * The payload for one visitor, with results instead of rules. The evaluator copies its input for each experiment, so it
 * gets only the part that is relevant for the visitor.
 * @throws ValidationError if the evaluator fails on the request; UnavailableError if matching the patterns takes too
 * long
 */
export async function evaluatePayload(
  published: Published,
  payload: Payload,
  { forcedFeatures: forced, attributes: given, url, forcedVariations: variations }: EvaluationRequest,
): Promise<Payload> {
  try {
    const time = new MatchingTime(published.projectId, DECISIONS_FREE_MS);
    const visitor = time.count(() => payloadForVisitor(published, payload, given, url ?? ''));
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
    // Features are evaluated separately because the evaluator runs experiments first and would add their exposures to
    // those of the features.
    const evaluated = (part: Partial<Payload>): Promise<Payload> =>
      evaluateFeatures({ payload: part, ...context }) as Promise<Payload>;
    const [flags, changes] = [await evaluated({ features }), await evaluated({ experiments })];
    return {
      features: mapValues(flags.features, withoutForced),
      experiments: changes.experiments.map(visitor.restore),
    };
  } catch (error) {
    if (error instanceof UnavailableError) {
      throw error;
    }
    throw new ValidationError([
      {
        path: 'attributes',
        message: 'The payload cannot be evaluated with these attributes and forced values.',
      },
    ]);
  }
}

/**
 * Removes the exposures of forced variations. SDKs that evaluate a payload themselves do not report these exposures
 * either.
 */
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
