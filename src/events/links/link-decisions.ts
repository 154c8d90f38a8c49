import type { Micros } from '../../common/time/clock';
import type { IgnoredLink, LinkRefusal, LinkRequest } from './link-request';

/** Maximum number of ids that are linked to one canonical id. Limits the cost of attributing a visitor. */
export const MAX_LINKED_IDS = 50;

/** A stored link: an id, and the canonical id that it is linked to. */
export interface Link {
  visitor_id: string;
  canonical_id: string;
  linked_at: Micros;
}

/** The stored links for some ids. */
export interface KnownLinks {
  /** The canonical ids of linked ids. */
  canonicalIds: ReadonlyMap<string, string>;
  /** The number of ids that are linked to a canonical id. */
  sizes: ReadonlyMap<string, number>;
  /** Number of stored events from visitors under all their ids, by canonical id. A missing entry counts as 0. */
  events: ReadonlyMap<string, number>;
}

/** Limits for new links. */
export interface LinkLimits {
  /** Number of links that can still be added to the project. */
  links: number;
  /** Maximum number of events from a visitor under all its ids. */
  events: number;
}

export interface LinkDecisions {
  /** New links, in the order of the requests. */
  added: Link[];
  ignored: IgnoredLink[];
}

/**
 * Decides which ids are linked. An unlinked id joins the other id's visitor; two ids that are already linked to other
 * ids cannot be linked to each other, so a link never changes another link. A request that changes nothing is neither
 * added nor ignored.
 */
export function decideLinks(
  known: KnownLinks,
  requests: readonly LinkRequest[],
  limits: LinkLimits,
): LinkDecisions {
  const canonicalIds = new Map(known.canonicalIds);
  const sizes = new Map(known.sizes);
  const events = new Map(known.events);
  const decisions: LinkDecisions = { added: [], ignored: [] };
  const visitorOf = (id: string): string | null => canonicalIds.get(id) ?? (sizes.has(id) ? id : null);
  for (const request of requests) {
    const outcome = request.refusal ?? decide(request, visitorOf(request.from), visitorOf(request.to));
    if (typeof outcome === 'string') {
      decisions.ignored.push({ link: request, reason: outcome });
    } else if (outcome !== null) {
      const { visitor_id, canonical_id } = outcome;
      const size = (sizes.get(canonical_id) ?? 0) + 1;
      const counts = [canonical_id, visitor_id].map((id) => events.get(id) ?? 0);
      const total = counts.reduce((sum, count) => sum + count, 0);
      // If an id joined a visitor at the limit, all its later events would be rejected.
      const isTooMuch = total > limits.events || counts.some((count) => count >= limits.events);
      if (size > MAX_LINKED_IDS || isTooMuch || decisions.added.length >= limits.links) {
        decisions.ignored.push({ link: request, reason: 'limit' });
        continue;
      }
      canonicalIds.set(visitor_id, canonical_id);
      sizes.set(canonical_id, size);
      events.set(canonical_id, total);
      decisions.added.push(outcome);
    }
  }
  return decisions;
}

/**
 * @param ofFrom the canonical id of `from`; null if it is not linked
 * @param ofTo the canonical id of `to`; null if it is not linked
 * @returns the link, or why there is none; null if the ids are already linked
 */
function decide(
  { kind, from, to, requestedAt: linked_at }: LinkRequest,
  ofFrom: string | null,
  ofTo: string | null,
): Link | LinkRefusal | null {
  if (ofFrom === null) {
    return { visitor_id: from, canonical_id: ofTo ?? to, linked_at };
  }
  if (ofFrom === ofTo) {
    return null;
  }
  if (ofTo !== null) {
    return 'both_linked';
  }
  // A second user signed in on the same device. They are two visitors, unless an alias says that they are the same.
  return kind === 'alias' ? { visitor_id: to, canonical_id: ofFrom, linked_at } : 'linked_to_other';
}
