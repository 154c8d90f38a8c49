import { Injectable } from '@nestjs/common';
import type { Role } from '../platform/access/roles';
import type { Collection } from '../platform/access/route-access';
import { withIds } from '../common/text/names';
import { ExperimentAttachments } from '../projects/dependents';
import type { ProjectWrite } from '../projects/project-writer';
import { EXCLUSION_GROUPS } from '../resources/exclusion-groups/exclusion-groups.resource';
import {
  AttachedTo,
  AttachedCollection,
  ATTACHMENTS,
  countUpExperimentsWith,
  detach,
  experimentsWith,
  mayPause,
} from './attachment.store';
import { mayTripGuardrail, requirePermissionToPause } from './guardrails';
import { activeMembers, leaveGroup } from './exclusion/exclusion-range.store';

/** The fields of an attached item that the experiment record shows. */
const SHOWN: Record<AttachedCollection, readonly string[]> = {
  audiences: ['name'],
  pages: ['name'],
  goals: ['name', 'api_name', 'type'],
  environments: ['name'],
};

/**
 * Whether the experiment requires the item. Running and previewed experiments require all their items, except
 * environments: an environment is required only by a running experiment that has no other environment.
 */
function isInNeed({ status, attached }: AttachedTo, kind: AttachedCollection): boolean {
  if (kind === 'environments') {
    return status === 'running' && attached === 1;
  }
  return status === 'running' || status === 'preview';
}

const needOf = (kind: AttachedCollection): string =>
  kind === 'environments'
    ? 'the only environment of running experiments'
    : 'used by running or previewed experiments';

const isAttachable = (collection: Collection): collection is AttachedCollection => collection in ATTACHMENTS;

/** Updates experiments when an attached item changes or is deleted. */
@Injectable()
export class AttachmentsService implements ExperimentAttachments {
  async release(write: ProjectWrite, collection: Collection, id: number): Promise<void> {
    if (collection === EXCLUSION_GROUPS.collection) {
      await releaseGroup(write, id);
    }
    if (!isAttachable(collection)) {
      return;
    }
    const users = await experimentsWith(write.tx, collection, id);
    const active = users.filter((user) => isInNeed(user, collection));
    if (active.length > 0) {
      write.failures.add(
        'experiments',
        `The ${collection.slice(0, -1)} is ${needOf(collection)}: ${withIds(active)}.`,
        'IN_USE',
      );
      return;
    }
    await countUp(write, collection, id);
    await detach(write.tx, collection, id);
  }

  async requirePermission(
    { tx }: ProjectWrite,
    role: Role,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    if (collection === ATTACHMENTS.guardrails.table && mayTripGuardrail(fields) && (await mayPause(tx, id))) {
      requirePermissionToPause(role);
    }
  }

  async showChange(
    write: ProjectWrite,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    if (isAttachable(collection) && fields.some((field) => SHOWN[collection].includes(field))) {
      await countUp(write, collection, id);
    }
  }
}

/**
 * Removes archived and deleted experiments from an exclusion group. Adds a failure if the group contains any other
 * experiments.
 */
async function releaseGroup(write: ProjectWrite, id: number): Promise<void> {
  const members = await activeMembers(write.tx, id);
  if (members.length > 0) {
    write.failures.add(
      'experiments',
      `The exclusion group is used by experiments that are not archived: ${withIds(members)}.`,
      'IN_USE',
    );
  } else if (await leaveGroup(write.tx, id)) {
    write.touched('experiments');
  }
}

/** Increments the versions of the experiments that show the item, if any. */
async function countUp(write: ProjectWrite, kind: AttachedCollection, id: number): Promise<void> {
  if (await countUpExperimentsWith(write.tx, kind, id)) {
    write.touched('experiments');
  }
}
