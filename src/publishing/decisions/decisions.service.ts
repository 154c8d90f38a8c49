import { Injectable } from '@nestjs/common';
import { mapInTurns } from '../../common/event-loop';
import { DECISIONS_FREE_MS, MatchingTime } from '../../common/patterns/matching-time';
import type { KeyedProject } from '../../events/client-keys.store';
import type { Sending } from '../../events/recent/sending';
import type { DecidableExperiment, Published } from '../published';
import type { KnownExperiment } from '../published-names.store';
import { bucketingAfter, deciderFor, Decision, phasesAfter } from './decide';
import type { DecisionRequest } from './decision-request';
import { ExposureRecorder, type ShownVariation } from './exposure-recorder';

/** The decision for one requested experiment. */
interface DecidedExperiment {
  id: number;
  /** Null for unknown experiments. */
  api_name: string | null;
  variation: { id: number; api_name: string } | null;
  reason: Decision['reason'] | 'not_running' | 'unknown_experiment';
}

interface Decisions {
  revision: number;
  user: { id: string; bucketing: Record<string, number>; phases: Record<string, number> };
  /** Whether recording was requested and all exposures, if any, have been stored. */
  recorded: boolean;
  experiments: DecidedExperiment[];
}

/** Makes decisions for back ends and records their exposures. */
@Injectable()
export class DecisionsService {
  constructor(private readonly recorder: ExposureRecorder) {}

  /**
   * Resolves when the exposures are committed, or without storing them if they currently cannot be stored.
   * @param environment `api_name` of the caller's environment
   * @param keyedProject the project that the client key belongs to, if already looked up
   * @param sending see `Delivery`
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
    const time = new MatchingTime(published.projectId, DECISIONS_FREE_MS);
    const decide = deciderFor(visitor, view);
    const decisions = await mapInTurns(asked, (experiment) => time.count(() => decide(experiment)));
    const decided = new Map(decisions.map((decision) => [decision.experiment.id, toDecided(decision)]));
    const holder = { clientKey: published.clientKey, keyedProject, sending };
    const bucketing = bucketingAfter(visitor.bucketing, published, live, decisions);
    const recorded = request.record && (await this.recorder.record(holder, visitor, shownIn(decisions)));
    return {
      revision: published.revision,
      user: {
        id: visitor.id,
        bucketing: Object.fromEntries(bucketing),
        phases: Object.fromEntries(phasesAfter(bucketing, visitor.phases, decisions)),
      },
      recorded,
      experiments: (selected ?? [...decided.keys()]).map(
        (id) => decided.get(id) ?? undecided(id, published.names.withId(id)),
      ),
    };
  }
}

const shownIn = (decisions: readonly Decision[]): ShownVariation[] =>
  decisions.flatMap(({ experiment, variation, phase }) =>
    variation === null ? [] : [{ experimentId: experiment.id, variationId: variation.id, phase }],
  );

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
