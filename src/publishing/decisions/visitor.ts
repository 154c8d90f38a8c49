import { v7 as newId } from 'uuid';
import { text } from '../../common/validation/checks';
import type { FieldCheck } from '../../common/validation/fields';
import { anyObject, shaped } from '../../common/validation/shapes';
import { isObject } from '../../common/validation/submission';
import { idOf } from '../../common/validation/ids';
import { isVisitorId, VISITOR_ID } from '../../events/visitors';
import { ATTRIBUTES } from '../attribute-names';
import type { Attributes } from '../evaluation';
import { attributesFrom } from './visitor-attributes';

/** The `user` of a request: of decisions and of conversions. */
export interface UserBody {
  id?: string | null;
  bucketing?: Record<string, number | string> | null;
  device?: { userAgent?: string | null } | null;
  locale?: string | null;
  attributes?: Attributes | null;
}

/** The variation that a visitor has in each experiment, by id. */
export type Bucketing = ReadonlyMap<number, number>;

export interface Visitor {
  id: string;
  bucketing: Bucketing;
  attributes: Attributes;
  /** For the results by device. */
  device: { type?: string; userAgent: string };
}

const MAX_BUCKETING = 1_000;
const MAX_USER_AGENT = 4_096;
const MAX_LOCALE = 100;

const visitorId: FieldCheck = (value, label) =>
  typeof value === 'string' && isVisitorId(value) ? null : `The ${label} must be ${VISITOR_ID}.`;

const bucketing: FieldCheck = (value, label) => {
  if (!isObject(value)) {
    return `The ${label} must be an object: the id of a variation for each id of an experiment.`;
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_BUCKETING) {
    return `The ${label} may have at most ${MAX_BUCKETING} entries.`;
  }
  return entries
    .filter(([experiment, variation]) => idOf(experiment) === null || idOf(variation) === null)
    .map(([path]) => ({
      path,
      message:
        'The entry must have the id of an experiment as its name and that of a variation as its value.',
    }));
};

/** Checks a `user`. */
export const userCheck = shaped({
  id: visitorId,
  bucketing,
  device: shaped({ userAgent: text(MAX_USER_AGENT) }),
  locale: text(MAX_LOCALE),
  attributes: anyObject,
});

/**
 * The visitor that a checked `user` describes; one without an id gets one.
 * @param view where the visitor is
 */
export function visitorFrom(user: UserBody, view: { url?: string; referrer?: string } = {}): Visitor {
  const userAgent = user.device?.userAgent ?? undefined;
  const facts = { ...view, userAgent, locale: user.locale ?? undefined };
  const attributes = { ...attributesFrom(facts), ...user.attributes };
  const type = attributes[ATTRIBUTES.device];
  return {
    id: user.id ?? newId(),
    bucketing: new Map(
      Object.entries(user.bucketing ?? {}).map(([key, value]) => [Number(key), Number(value)]),
    ),
    attributes,
    device: { ...(typeof type === 'string' ? { type } : {}), userAgent: userAgent ?? '' },
  };
}
