import { Inject, Injectable } from '@nestjs/common';
import { UnavailableError } from '../../common/errors/api-errors';
import { nowMicros } from '../../common/time/clock';
import { inTime } from '../../common/time/deadline';
import { mapInTurns } from '../../common/turns';
import { isUnavailable } from '../../database/errors';
import type { KeyedProject } from '../../events/client-keys';
import { CollectionService, type Delivery } from '../../events/collection.service';
import { exposureId } from '../../events/event-ids';
import type { Sending } from '../../events/recent/sending';
import { EXPOSURE } from '../../events/resolution';
import { Availability } from '../availability';
import { DeliveryCounters } from '../delivery-counters';
import type { DecidableExperiment, Published } from '../published';
import { bucketingAfter, deciderFor, Decision } from './decide';
import type { DecisionRequest } from './decision-request';
import type { KnownExperiment } from '../experiment-name.store';
import type { Visitor } from './visitor';

/** The decision for one requested experiment. */
export interface DecidedExperiment {
  id: number;
  /** Null for unknown experiments. */
  api_name: string | null;
  variation: { id: number; api_name: string } | null;
  reason: Decision['reason'] | 'not_running' | 'unknown_experiment';
}

export interface Decisions {
  revision: number;
  user: { id: string; bucketing: Record<string, number> };
  /** Are all exposures stored (or is there none)? */
  recorded: boolean;
  experiments: DecidedExperiment[];
}

type KeyHolder = Pick<Delivery, 'clientKey' | 'keyedProject' | 'sending'>;

/** Timeout: normally an exposure is stored within milliseconds, and a visitor must not wait longer. */
const RECORD_DEADLINE_MS = 2_000;

/** Decides for back ends and records exposures. */
@Injectable()
export class DecisionsService {
  constructor(
    @Inject(CollectionService) private readonly collection: Pick<CollectionService, 'collect'>,
    private readonly availability: Availability,
    private readonly counters: DeliveryCounters,
  ) {}

  /**
   * Resolves when the exposures are committed, or currently cannot be.
   * @param environment `api_name` of the caller's environment
   * @param keyedProject project of the client key, if already looked up
   * @param sending of the request
   */
  async decide(
    published: Published,
    environment: string,
    request: DecisionRequest,
    keyedProject?: KeyedProject | null,
    sending?: Sending,
  ): Promise<Decisions> {
    const { visitor, selected, view } = request;
    const live = published.experiments.filter(({ environments }) => environments.includes(environment));
    const isSelected = ({ id }: DecidableExperiment): boolean => selected?.includes(id) ?? true;
    const asked = live.filter(isSelected);
    const decisions = await mapInTurns(asked, deciderFor(visitor, view));
    const decided = new Map(decisions.map((decision) => [decision.experiment.id, toDecided(decision)]));
    const recorded =
      request.record &&
      (await this.isRecorded({ clientKey: published.clientKey, keyedProject, sending }, visitor, decisions));
    return {
      revision: published.revision,
      user: {
        id: visitor.id,
        bucketing: Object.fromEntries(bucketingAfter(visitor.bucketing, live, decisions)),
      },
      recorded,
      experiments: (selected ?? [...decided.keys()]).map(
        (id) => decided.get(id) ?? undecided(id, published.names.withId(id)),
      ),
    };
  }

  /** A decision does not need the database. Without it, the response says that the exposures are not stored. */
  private async isRecorded(
    holder: KeyHolder,
    visitor: Visitor,
    decisions: readonly Decision[],
  ): Promise<boolean> {
    const messages = decisions.flatMap(({ experiment, variation }) =>
      variation === null ? [] : [exposureOf(visitor, experiment, variation.id)],
    );
    if (messages.length === 0) {
      return true;
    }
    const isStored = !this.availability.isAway && (await this.isStored(holder, visitor, messages));
    if (!isStored) {
      this.counters.unrecorded.inc();
    }
    return isStored;
  }

  /** @returns false on timeout; the exposures may still be stored later */
  private async isStored(holder: KeyHolder, visitor: Visitor, messages: readonly object[]): Promise<boolean> {
    const arrival = { bytes: 0, receivedAt: nowMicros(), sentAt: null };
    const collected = this.collection
      .collect({ ...arrival, ...holder, messages, userAgent: visitor.device.userAgent })
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof UnavailableError || isUnavailable(error)) {
          return false;
        }
        throw error;
      });
    return inTime(collected, RECORD_DEADLINE_MS, false);
  }
}

/** A deterministic message id for each exposure, so that repeated decisions are duplicates. */
const exposureOf = (
  { id, device }: Visitor,
  { id: experimentId, phase }: DecidableExperiment,
  variationId: number,
): object => ({
  type: 'track',
  event: EXPOSURE,
  anonymousId: id,
  messageId: exposureId(id, experimentId, variationId),
  properties: { experiment_id: experimentId, variation_id: variationId, phase },
  context: { device: { type: device.type } },
});

const toDecided = ({ experiment, variation, reason }: Decision): DecidedExperiment => ({
  id: experiment.id,
  api_name: experiment.api_name,
  variation,
  reason,
});

const undecided = (id: number, known: KnownExperiment | undefined): DecidedExperiment => ({
  id,
  api_name: known?.api_name ?? null,
  variation: null,
  reason: known === undefined ? 'unknown_experiment' : 'not_running',
});
