import { Injectable } from '@nestjs/common';
import { nowMicros } from '../../common/time/clock';
import { CollectionService } from '../../events/collection.service';
import { exposureId } from '../../events/event-ids';
import { EXPOSURE } from '../../events/resolution';
import type { DecidableExperiment, Published } from '../published';
import { bucketingAfter, decide, Decision } from './decide';
import type { DecisionRequest } from './decision-request';
import { ExperimentNames, KnownExperiment } from './experiment-names';
import type { Visitor } from './visitor';

/** What became of one experiment that was asked for. */
export interface DecidedExperiment {
  id: number;
  /** Null for experiments that nobody outside of the team has seen yet. */
  api_name: string | null;
  variation: { id: number; api_name: string } | null;
  reason: Decision['reason'] | 'not_running' | 'unknown_experiment';
}

export interface Decisions {
  revision: number;
  user: { id: string; bucketing: Record<string, number> };
  experiments: DecidedExperiment[];
}

/** Decides for back ends what their visitors see, and records that they see it. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly names: ExperimentNames,
    private readonly collection: CollectionService,
  ) {}

  /** Resolves when the exposures are committed. @param environment `api_name` of the caller's environment */
  async decide(published: Published, environment: string, request: DecisionRequest): Promise<Decisions> {
    const { visitor, selected, view } = request;
    const live = published.experiments.filter(({ environments }) => environments.includes(environment));
    const isSelected = ({ id }: DecidableExperiment): boolean => selected?.includes(id) ?? true;
    const decisions = live.filter(isSelected).map((experiment) => decide(experiment, visitor, view));
    const decided = new Map(decisions.map((decision) => [decision.experiment.id, toDecided(decision)]));
    const others = selected?.filter((id) => !decided.has(id)) ?? [];
    const known = await this.names.withIds(published.projectId, others);
    if (request.record) {
      await this.record(published.clientKey, visitor, decisions);
    }
    return {
      revision: published.revision,
      user: {
        id: visitor.id,
        bucketing: Object.fromEntries(bucketingAfter(visitor.bucketing, live, decisions)),
      },
      experiments: (selected ?? [...decided.keys()]).map(
        (id) => decided.get(id) ?? undecided(id, known.get(id)),
      ),
    };
  }

  private async record(clientKey: string, visitor: Visitor, decisions: readonly Decision[]): Promise<void> {
    const messages = decisions.flatMap(({ experiment, variation }) =>
      variation === null ? [] : [exposureOf(visitor, experiment.id, variation.id)],
    );
    if (messages.length > 0) {
      const arrival = { bytes: 0, receivedAt: nowMicros(), sentAt: null };
      await this.collection.collect({
        ...arrival,
        clientKey,
        messages,
        userAgent: visitor.device.userAgent,
      });
    }
  }
}

/** Always the same message for the same exposure, so that it counts once however often it is decided. */
const exposureOf = ({ id, device }: Visitor, experimentId: number, variationId: number): object => ({
  type: 'track',
  event: EXPOSURE,
  anonymousId: id,
  messageId: exposureId(id, experimentId, variationId),
  properties: { experiment_id: experimentId, variation_id: variationId },
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
  api_name: known?.isStarted === true ? known.api_name : null,
  variation: null,
  reason: known === undefined ? 'unknown_experiment' : 'not_running',
});
