import { flag, listOf, text } from '../../common/validation/checks';
import type { FieldCheck } from '../../common/validation/fields';
import { checkedBody, shaped } from '../../common/validation/shapes';
import { idOf } from '../../common/validation/ids';
import type { View } from './decide';
import { UserBody, userCheck, Visitor, visitorFrom } from './visitor';

/** A request to `POST /v1/decide` that has been read. */
export interface DecisionRequest {
  visitor: Visitor;
  /** Ids of the experiments that are asked for; null for all that are live. */
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
const MAX_ADDRESS = 2_048;
const MAX_PAGE_NAME = 64;

const experimentId: FieldCheck = (value, label) =>
  idOf(value) === null ? `The ${label} must be the id of an experiment.` : null;

/** The id of a page, or its `api_name`. */
const pageName: FieldCheck = (value, label) =>
  typeof value === 'number' && idOf(value) !== null ? null : text(MAX_PAGE_NAME)(value, label);

const address: FieldCheck = (value, label) =>
  text(MAX_ADDRESS)(value, label) ??
  (URL.canParse(value as string) ? null : `The ${label} must be an absolute address.`);

const decisionCheck = shaped({
  user: userCheck,
  selector: shaped({ experiments: listOf(experimentId, 'experiment', MAX_SELECTED, idOf) }),
  context: shaped({
    view: shaped({ id: pageName, url: address, referrer: text(MAX_ADDRESS) }),
  }),
  record: flag,
});

/**
 * Reads the body of a request for decisions, all of whose fields may be left out.
 * @throws ValidationError with everything that is wrong
 */
export function readDecisionRequest(body: unknown): DecisionRequest {
  const { user, selector, context, record } = checkedBody(decisionCheck, body) as DecisionBody;
  const view = context?.view ?? {};
  const url = view.url ?? undefined;
  return {
    visitor: visitorFrom(user ?? {}, { url, referrer: view.referrer ?? undefined }),
    selected: selector?.experiments?.map(Number) ?? null,
    view: { id: view.id ?? undefined, url },
    record: record ?? true,
  };
}
