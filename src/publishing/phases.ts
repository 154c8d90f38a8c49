import type { EntityManager } from 'typeorm';
import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import {
  areSameShares,
  beginPhase,
  lastPhases,
  notePartialTraffic,
  Phase,
  phaseShares,
} from '../experiments/experiment-run.store';
import { LiveDefinitions, LiveExperiment, WHOLE } from './definitions';

/** Adds the phase number that each experiment has in the next publication. */
export async function withPhases(
  manager: EntityManager,
  projectId: number,
  definitions: LiveDefinitions,
): Promise<LiveDefinitions> {
  const last = await lastPhases(manager, projectId);
  const experiments = definitions.experiments.map((experiment) => ({
    ...experiment,
    phase: phaseAfter(experiment, last.get(experiment.id)),
  }));
  return { ...definitions, experiments };
}

/**
 * The phase number of an experiment in the next publication. Only a change of shares begins a new phase. Changes to
 * traffic, audiences, pages and code do not.
 */
function phaseAfter({ variations }: LiveExperiment, last: Phase | undefined): number {
  if (last === undefined) {
    return 1;
  }
  return areSameShares(phaseShares(variations), last.shares) ? last.number : last.number + 1;
}

/**
 * Stores the phases that begin with this publication. Marks every current phase whose traffic is above 0 % and below
 * 100 %.
 */
export async function beginPhases(
  tx: Tx,
  projectId: number,
  { experiments }: LiveDefinitions,
  now: Micros,
): Promise<void> {
  const last = await lastPhases(tx, projectId);
  for (const experiment of experiments) {
    const { id, phase: number = 1, variations } = experiment;
    const before = last.get(id);
    const hasPartialTraffic = isPartial(experiment);
    if (before === undefined || number > before.number) {
      await beginPhase(tx, id, { number, shares: phaseShares(variations), hasPartialTraffic }, now);
    } else if (hasPartialTraffic && !before.hasPartialTraffic) {
      await notePartialTraffic(tx, id, before.number);
    }
  }
}

const isPartial = ({ traffic }: LiveExperiment): boolean => traffic > 0 && traffic < WHOLE;
