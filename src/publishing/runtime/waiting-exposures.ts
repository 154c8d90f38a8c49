import { EXPOSURE } from '../../events/exposure-event';
import type { WaitingEvents } from './event-queue';
import type { Exposure } from './visitor';

interface Message {
  event?: string;
  anonymousId: string;
  /** Only present in exposures. */
  properties: { experiment_id: number };
}

/** The exposures among events. */
export const exposuresIn = (events: WaitingEvents): Exposure[] =>
  events
    .map(([, json]) => JSON.parse(json) as Message)
    .filter(({ event }) => event === EXPOSURE)
    .map(({ anonymousId, properties }) => ({ visitor: anonymousId, experiment: properties.experiment_id }));
