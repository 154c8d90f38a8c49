import { eventsIn, linkIn, type Outcome, rejecting, type Resolution } from '../message-outcome';

/** The ids, in their stored form, that the messages would store. */
export const idsStoredBy = ({ events, links }: Pick<Resolution, 'events' | 'links'>): string[] => [
  ...new Set([
    ...events.map(({ visitor_id }) => visitor_id),
    ...links.filter(({ refusal }) => refusal === null).flatMap(({ from, to }) => [from, to]),
  ]),
];

/** The same messages, with those of deleted visitors rejected. */
export function withoutDeleted(resolution: Resolution, deleted: ReadonlySet<string>): Resolution {
  const isDeleted = (outcome: Outcome): boolean => {
    const link = linkIn(outcome);
    const ids = link === null ? [] : [link.from, link.to];
    return [...eventsIn(outcome).map(({ visitor_id }) => visitor_id), ...ids].some((id) => deleted.has(id));
  };
  return deleted.size === 0 ? resolution : rejecting(resolution, isDeleted, 'visitor_deleted');
}
