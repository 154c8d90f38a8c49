import type { Failure } from '../../common/errors/api-errors';
import { MAX_ADDRESS, MAX_PAGE_NAME } from '../../common/limits';
import { idOf, MAX_ID } from '../../common/validation/values';
import { ID_SCHEMA, type JsonSchema, optionalText } from '../../common/validation/json-schema';
import { bodyReader } from '../../common/validation/schema-check';
import type { View } from './decide';
import { USER, UserBody, Visitor, visitorFrom } from './visitor';

/** A parsed request to `POST /v1/decide`. */
export interface DecisionRequest {
  visitor: Visitor;
  /** Ids of the requested experiments; null for all live experiments. */
  selected: readonly number[] | null;
  view: View;
  record: boolean;
}

interface DecisionBody {
  user?: UserBody | null;
  selector?: { experiments?: (number | string)[] | null } | null;
  context?: {
    view?: { id?: number | string | null; url?: string | null; referrer?: string | null } | null;
  } | null;
  record?: boolean | null;
}

const MAX_SELECTED = 1_000;

export const DECISION_REQUEST = {
  type: 'object',
  description: 'The visitor, and the experiments to decide.',
  additionalProperties: false,
  properties: {
    user: USER,
    selector: {
      type: ['object', 'null'],
      description: 'The experiments to decide.',
      additionalProperties: false,
      properties: {
        experiments: {
          type: ['array', 'null'],
          items: { ...ID_SCHEMA, title: 'experiment', 'x-message': 'must be the id of an experiment' },
          maxItems: MAX_SELECTED,
          description: 'Ids of experiments. The default is all live experiments.',
        },
      },
    },
    context: {
      type: ['object', 'null'],
      description: 'The context of the visitor.',
      additionalProperties: false,
      properties: {
        view: {
          type: ['object', 'null'],
          description: 'The page of the visitor. Without it, pages are not checked.',
          additionalProperties: false,
          properties: {
            id: {
              ...optionalText(MAX_PAGE_NAME),
              type: ['string', 'integer', 'null'],
              minimum: 1,
              maximum: MAX_ID,
              description: 'The api_name of a page, or its id.',
            },
            url: {
              ...optionalText(MAX_ADDRESS),
              format: 'url',
              description: 'Absolute URL of the page.',
            },
            referrer: {
              ...optionalText(MAX_ADDRESS),
              description: 'URL of the referring page.',
            },
          },
        },
      },
    },
    record: {
      type: ['boolean', 'null'],
      default: true,
      description: 'Record the exposures.',
    },
  },
} as const satisfies JsonSchema;

/** Reports duplicate experiments. The same id can be given both as a number and as a string. */
function repeatedExperiments(body: unknown): Failure[] {
  const { selector } = Object(body) as DecisionBody;
  const given: unknown = (Object(selector) as DecisionBody['selector'])?.experiments;
  const ids = Array.isArray(given) ? given.map(idOf) : [];
  const first = new Map(ids.map((id, index) => [id, index] as const).reverse());
  return ids.flatMap((id, index) =>
    id === null || first.get(id) === index
      ? []
      : [{ path: `selector.experiments.${index}`, message: 'The experiment is listed twice.' }],
  );
}

const read = bodyReader(DECISION_REQUEST, repeatedExperiments);

/**
 * Reads the body of a decision request. All of its fields are optional.
 * @throws ValidationError with all errors
 */
export function readDecisionRequest(body: unknown): DecisionRequest {
  const { user, selector, context, record } = read(body) as DecisionBody;
  const view = context?.view ?? {};
  const url = view.url ?? undefined;
  return {
    visitor: visitorFrom(user ?? {}, { url, referrer: view.referrer ?? undefined }),
    selected: selector?.experiments?.map(Number) ?? null,
    view: { id: view.id ?? undefined, url },
    record: record ?? true,
  };
}
