import type { EntityManager } from 'typeorm';
import { Failures } from '../../common/validation/failures';
import type { Tx } from '../../database/database';
import type { ExperimentStatus } from '../experiment-status';
import type { Experiment } from '../experiment.entity';
import { BucketRange, BUCKETS, bucketsIn, fittedRanges } from './bucket-ranges';
import { findGroup, Holder, holdersOf, Member, releaseRanges, replaceRanges } from './exclusion-range.store';

/** The experiment settings that determine its share of an exclusion group. */
export type ExclusionFields = Pick<Experiment, 'exclusion_group_id' | 'exclusion_share'>;

type Claimant = ExclusionFields & Pick<Experiment, 'id' | 'project_id'>;

/** The buckets that an experiment gets from its group when it starts. */
export interface Claim {
  ranges: BucketRange[];
  /** Why the experiment cannot start. */
  failures: Failures;
}

const percent = (buckets: number): string => `${(buckets * 100) / BUCKETS} %`;

const bucketsOf = ({ exclusion_share: share }: ExclusionFields): number =>
  Math.round((share * BUCKETS) / 100);

/** Checks that an experiment's group belongs to the project. */
export async function checkGroup(
  manager: EntityManager,
  projectId: number,
  groupId: number | null | undefined,
  failures: Failures,
): Promise<void> {
  const isNamed = typeof groupId === 'number' && !failures.has('exclusion_group_id');
  if (isNamed && (await findGroup(manager, projectId, groupId)) === null) {
    failures.add('exclusion_group_id', `The project has no exclusion group ${groupId}.`);
  }
}

/** Whether the changed columns affect the exclusion group. */
export const changesExclusion = (changes: Partial<ExclusionFields>): boolean =>
  'exclusion_group_id' in changes || 'exclusion_share' in changes;

/**
 * The claim that an experiment would make if it started now. An experiment keeps its buckets. An experiment without a
 * group gets none.
 */
export async function claimOf(manager: EntityManager, experiment: Claimant): Promise<Claim> {
  const { project_id: projectId, exclusion_group_id: groupId } = experiment;
  const group = groupId === null ? null : await findGroup(manager, projectId, groupId);
  const failures = new Failures();
  if (group === null) {
    return { ranges: [], failures };
  }
  const holders = await holdersOf(manager, group.id);
  const buckets = bucketsOf(experiment);
  const ranges = rangesAmong(holders, experiment.id, buckets);
  if (ranges === null) {
    const others = holders.filter(({ id }) => id !== experiment.id);
    const used = others.map(({ id, name, ranges: own }) => `${name} (${id}) ${percent(bucketsIn(own))}`);
    const free = BUCKETS - bucketsIn(others.flatMap(({ ranges: own }) => own));
    failures.add(
      'exclusion_share',
      `The exclusion group ${group.name} (${group.id}) has ${percent(free)} free, but the experiment needs ${percent(buckets)}. Used by: ${used.join(', ')}. Archive one of them, or lower the exclusion_share.`,
      'EXCLUSION_GROUP_FULL',
    );
  }
  return { ranges: ranges ?? [], failures };
}

export const NO_CLAIM: Claim = { ranges: [], failures: new Failures() };

/**
 * An experiment gets the claimed buckets when it starts, keeps them while it is paused, and releases them when it is
 * archived.
 */
export async function moveRanges(
  tx: Tx,
  experiment: Claimant,
  to: ExperimentStatus,
  { ranges }: Claim,
): Promise<void> {
  if (to === 'running') {
    await storeRanges(tx, experiment, ranges);
  } else if (to === 'archive') {
    await releaseRanges(tx, experiment.id);
  }
}

/**
 * Releases the buckets that an experiment no longer needs because its group or share changed while it was not running.
 * If it needs more buckets, it gets them when it starts.
 */
export async function giveAway(tx: Tx, experiment: Claimant): Promise<void> {
  const { id, exclusion_group_id: groupId } = experiment;
  const holders = groupId === null ? [] : await holdersOf(tx, groupId);
  const held = holders.find((holder) => holder.id === id)?.ranges ?? [];
  const kept = fittedRanges(held, Math.min(bucketsIn(held), bucketsOf(experiment)), []);
  await storeRanges(tx, experiment, kept ?? []);
}

async function storeRanges(
  tx: Tx,
  { id, exclusion_group_id: groupId }: Claimant,
  ranges: readonly BucketRange[],
): Promise<void> {
  if (groupId === null) {
    await releaseRanges(tx, id);
  } else {
    await replaceRanges(tx, id, groupId, ranges);
  }
}

/**
 * The ranges that experiments have while they are live, including ranges that are stored only when an experiment
 * starts.
 * @param members experiments of one group
 */
export async function liveRanges(
  manager: EntityManager,
  groupId: number,
  members: readonly Member[],
): Promise<Map<number, BucketRange[]>> {
  const holders = await holdersOf(manager, groupId);
  return new Map(
    members.map(({ id, exclusion_share: buckets }) => [id, rangesAmong(holders, id, buckets) ?? []]),
  );
}

function rangesAmong(
  holders: readonly Holder[],
  experimentId: number,
  buckets: number,
): BucketRange[] | null {
  const held = holders.find(({ id }) => id === experimentId)?.ranges ?? [];
  if (bucketsIn(held) === buckets) {
    return held;
  }
  const others = holders.filter(({ id }) => id !== experimentId);
  return fittedRanges(
    held,
    buckets,
    others.flatMap(({ ranges }) => ranges),
  );
}
