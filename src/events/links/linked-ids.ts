import { groupBy } from '../../common/lists/collections';
import { byText } from '../../common/text/strings';
import type { Micros } from '../../common/time/clock';
import { attribute, Participation, VisitorEvent } from '../attribution';
import type { CountingRules } from '../counting-rules';

/** The events for one visitor id. */
export interface VisitorEvents {
  visitorId: string;
  events: (VisitorEvent & { isAttributed: boolean })[];
}

/** A link as returned by the drivers. */
export interface LinkRow {
  visitor_id: string;
  canonical_id: string;
  linked_at: number | string;
  attributed: number;
}

/** The events for one visitor id, and the id's link. */
interface LinkedEvents extends VisitorEvents {
  /** When the id was linked to the canonical id; null for the canonical id and for ids that are not linked. */
  linkedAt: Micros | null;
  /** Whether the results include the link. */
  isLinkAttributed: boolean;
}

/** A visitor with the events under all its ids. */
export interface WholeVisitor {
  /** The id that all other ids are linked to, or the visitor's only id. */
  canonicalId: string;
  /** Sorted by id. */
  ids: LinkedEvents[];
}

/** A visitor's participation in an experiment. */
export interface VisitorParticipation extends Participation {
  /** The canonical id; for results that were final before the id was linked, the id itself. */
  visitorId: string;
  /** All ids, including those without events. */
  ids: readonly string[];
}

/** Tells which ids belong to the same visitor, based on their links. */
export class LinkedIds {
  static readonly NONE = new LinkedIds([]);

  private readonly links: ReadonlyMap<string, LinkRow>;
  private readonly linkedTo: ReadonlyMap<string, LinkRow[]>;

  constructor(rows: readonly LinkRow[]) {
    this.links = new Map(rows.map((row) => [row.visitor_id, row]));
    this.linkedTo = groupBy(rows, ({ canonical_id }) => canonical_id);
  }

  get isEmpty(): boolean {
    return this.links.size === 0;
  }

  /** The links that the results do not include yet. */
  get pending(): LinkRow[] {
    return [...this.links.values()].filter(({ attributed }) => !attributed);
  }

  /** The link of an id; null for canonical ids and for ids that are not linked. */
  linkOf(visitorId: string): LinkRow | null {
    return this.links.get(visitorId) ?? null;
  }

  canonicalIdOf(visitorId: string): string {
    return this.links.get(visitorId)?.canonical_id ?? visitorId;
  }

  /** These ids, and all known linked and canonical ids. */
  and(visitorIds: readonly string[]): string[] {
    const canonicalIds = [...this.links.values()].map(({ canonical_id }) => canonical_id);
    return [...new Set([...visitorIds, ...this.links.keys(), ...canonicalIds])];
  }

  /** @param events the events for each id, sorted by id */
  visitors(events: readonly VisitorEvents[]): WholeVisitor[] {
    const visitors = groupBy(events, ({ visitorId }) => this.canonicalIdOf(visitorId));
    return [...visitors].map(([canonicalId, own]) => ({
      canonicalId,
      ids: this.isEmpty
        ? own.map((each) => this.linked(each))
        : [...own, ...this.without(canonicalId, own)].map((each) => this.linked(each)).sort(byId),
    }));
  }

  private linked(events: VisitorEvents): LinkedEvents {
    const link = this.links.get(events.visitorId);
    return {
      ...events,
      linkedAt: link === undefined ? null : Number(link.linked_at),
      isLinkAttributed: Boolean(link?.attributed),
    };
  }

  /** A visitor's ids without events. They matter because a visitor is excluded if any of its ids is excluded. */
  private without(canonicalId: string, own: readonly VisitorEvents[]): VisitorEvents[] {
    const withEvents = new Set(own.map(({ visitorId }) => visitorId));
    const linked = this.linkedTo.get(canonicalId) ?? [];
    return [canonicalId, ...linked.map(({ visitor_id }) => visitor_id)]
      .filter((id) => !withEvents.has(id))
      .map((visitorId) => ({ visitorId, events: [] }));
  }
}

const byId = (a: VisitorEvents, b: VisitorEvents): number => byText(a.visitorId, b.visitorId);

/** A visitor's events under all its ids, sorted by id. */
export const eventsOf = ({ ids }: WholeVisitor): LinkedEvents['events'] =>
  ids.flatMap(({ events }) => events);

/** Whether the results do not include the id's link yet. */
const isApart = ({ linkedAt, isLinkAttributed }: LinkedEvents): boolean =>
  linkedAt !== null && !isLinkAttributed;

/** Whether the results do not include all links of a visitor yet. */
export const hasNewLink = ({ ids }: WholeVisitor): boolean => ids.some(isApart);

/** The visitors as the results currently count them: with their attributed events and attributed links only. */
export function attributedPart({ canonicalId, ids }: WholeVisitor): WholeVisitor[] {
  const attributed = ids.map((each) => ({
    ...each,
    events: each.events.filter(({ isAttributed }) => isAttributed),
  }));
  return [
    { canonicalId, ids: attributed.filter((each) => !isApart(each)) },
    ...attributed.filter(isApart).map(alone),
  ];
}

const alone = (id: LinkedEvents): WholeVisitor => ({
  canonicalId: id.visitorId,
  ids: [{ ...id, linkedAt: null }],
});

/**
 * The participations of a visitor. Linked ids count as one visitor, as if the visitor had used a single id from the
 * start. Results that were already final when a link arrived ignore the link.
 */
export function participationsOf(
  visitor: WholeVisitor,
  rules: ReadonlyMap<number, CountingRules>,
): VisitorParticipation[] {
  if (visitor.ids.every(({ linkedAt }) => linkedAt === null)) {
    return participationsOfWhole(visitor, rules);
  }
  const exposed = new Set(eventsOf(visitor).map(({ experiment_id }) => experiment_id));
  return [...rules]
    .filter(([experimentId]) => exposed.has(experimentId))
    .flatMap(([experimentId, rule]) =>
      linkedBefore(visitor, rule.finalAt).flatMap((part) =>
        participationsOfWhole(part, new Map([[experimentId, rule]])),
      ),
    );
}

function participationsOfWhole(
  visitor: WholeVisitor,
  rules: ReadonlyMap<number, CountingRules>,
): VisitorParticipation[] {
  const ids = visitor.ids.map(({ visitorId }) => visitorId);
  return attribute(eventsOf(visitor), rules).map((participation) => ({
    ...participation,
    visitorId: visitor.canonicalId,
    ids,
  }));
}

/**
 * The visitor without the ids that were linked when results were already final, and each of these ids as its own
 * visitor.
 */
export function linkedBefore({ canonicalId, ids }: WholeVisitor, finalAt: Micros | null): WholeVisitor[] {
  const isLate = ({ linkedAt }: LinkedEvents): boolean =>
    finalAt !== null && linkedAt !== null && linkedAt >= finalAt;
  return [{ canonicalId, ids: ids.filter((each) => !isLate(each)) }, ...ids.filter(isLate).map(alone)];
}
