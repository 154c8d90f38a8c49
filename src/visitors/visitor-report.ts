import { formatMicros, formatOptionalMicros } from '../common/time/clock';
import { DEVICE_TYPES } from '../events/device-types';
import type { LinkedIds, WholeVisitor } from '../events/links/linked-ids';
import { VALUE_SCALE } from '../events/values';
import { givenVisitor } from '../events/visitors';
import { type EventOutcome, isCounted, type VisitorOutcome } from './visitor-outcomes';
import type {
  VisitorEventRecord,
  VisitorExclusionRecord,
  VisitorExperiment,
  VisitorIdRecord,
} from './visitor.record';
import type { ExperimentName, VariationName, VisitorExclusionRow } from './visitor.store';

const deviceOf = (index: number): string => DEVICE_TYPES[index] ?? 'other';

/** @param ids the stored forms of the ids */
export const idRecords = (ids: readonly string[], links: LinkedIds): VisitorIdRecord[] =>
  ids.map((id) => {
    const link = links.linkOf(id);
    return {
      id: givenVisitor(id),
      linked_to: link === null ? null : givenVisitor(link.canonical_id),
      linked_at: link === null ? null : formatMicros(Number(link.linked_at)),
    };
  });

/** @param names the names of the variations, by id */
export function experimentRecord(
  { exposure, experimentId, phase, hasCrossed, reason }: VisitorOutcome,
  experiment: ExperimentName,
  names: ReadonlyMap<number, VariationName>,
): VisitorExperiment {
  return {
    experiment_id: experimentId,
    experiment_name: experiment.name,
    status: experiment.status,
    variation_id: exposure?.variation_id ?? null,
    variation_name: names.get(exposure?.variation_id ?? 0)?.name ?? null,
    entered_at: formatOptionalMicros(exposure?.occurred_at ?? null),
    device_type: exposure === null ? null : deviceOf(exposure.device),
    phase,
    is_counted: isCounted(reason),
    reason,
    is_crossover: hasCrossed,
  };
}

/** The events of a visitor, oldest first. @param goals the names of the goals, by id */
export function eventRecords(
  visitors: readonly WholeVisitor[],
  outcomes: readonly EventOutcome[],
  goals: ReadonlyMap<number, VariationName>,
): VisitorEventRecord[] {
  const events = visitors.flatMap(({ ids }) =>
    ids.flatMap(({ visitorId, events: own }) => own.map((event) => ({ visitorId, event }))),
  );
  const byEvent = new Map(events.map(({ event }) => [event, [] as EventOutcome[]]));
  outcomes.forEach((outcome) => byEvent.get(outcome.event)?.push(outcome));
  return events
    .sort((a, b) => a.event.occurred_at - b.event.occurred_at)
    .map(({ visitorId, event }) => ({
      visitor_id: givenVisitor(visitorId),
      event_id: event.event_id,
      type: event.goal_id === null ? 'exposure' : 'conversion',
      occurred_at: formatMicros(event.occurred_at),
      arrived_at: formatOptionalMicros(event.arrived_at ?? null),
      experiment_id: event.experiment_id,
      variation_id: event.variation_id,
      goal_id: event.goal_id,
      goal_name: goals.get(event.goal_id ?? 0)?.name ?? null,
      value: event.value === null ? null : event.value / VALUE_SCALE,
      device_type: deviceOf(event.device),
      outcomes: (byEvent.get(event) ?? []).map(({ experimentId, reason }) => ({
        experiment_id: experimentId,
        is_counted: isCounted(reason),
        reason,
      })),
    }));
}

export const exclusionRecord = (row: VisitorExclusionRow): VisitorExclusionRecord => ({
  exclusion_id: row.exclusion_id,
  visitor_id: givenVisitor(row.visitor_id),
  experiment_id: row.experiment_id,
  created_at: formatMicros(Number(row.created_at)),
});
