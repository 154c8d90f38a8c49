import { Injectable } from '@nestjs/common';
import type { Role } from '../platform/access/roles';
import type { Collection } from '../platform/access/route-access';
import { withIds } from '../common/text/names';
import { ExperimentAttachments } from '../projects/dependents';
import { difference } from '../projects/project-items';
import type { ProjectWrite } from '../projects/project-writer';
import { EXCLUSION_GROUPS } from '../resources/exclusion-groups/exclusion-groups.resource';
import {
  AttachedTo,
  AttachedCollection,
  ATTACHMENT_KINDS,
  ATTACHMENTS,
  countUpExperimentsWith,
  detach,
  experimentsWith,
  loadAttachments,
  mayPause,
  noAttachments,
} from './attachment.store';
import { mayTripGuardrail, requirePermissionToPause } from './guardrails';
import { leaveGroup, membersOf } from './exclusion/exclusion-range.store';

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
    await noteDetached(write, collection, id, users);
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
  const members = await membersOf(write.tx, id);
  const active = members.filter(({ status }) => status !== 'archive');
  if (active.length > 0) {
    write.failures.add(
      'experiments',
      `The exclusion group is used by experiments that are not archived: ${withIds(active)}.`,
      'IN_USE',
    );
  } else if (await leaveGroup(write.tx, id)) {
    write.touched('experiments');
    for (const member of members) {
      noteUpdate(write, member, { exclusion_group_id: id }, { exclusion_group_id: null });
    }
  }
}

/**
 * Adds an audit entry for each experiment that loses the item. Deleted experiments get none, because only the deletion
 * of an experiment that has not changed since can be reverted.
 */
async function noteDetached(
  write: ProjectWrite,
  collection: AttachedCollection,
  itemId: number,
  users: readonly AttachedTo[],
): Promise<void> {
  const kinds = ATTACHMENT_KINDS.filter((kind) => ATTACHMENTS[kind].table === collection);
  const ids = users.map(({ id }) => id);
  const attachments = await loadAttachments(write.tx, ids, kinds);
  for (const user of users) {
    const before = attachments.get(user.id) ?? noAttachments();
    const remaining = kinds.map((kind) => [kind, before[kind].filter(({ id }) => id !== itemId)]);
    noteUpdate(write, user, before, Object.fromEntries(remaining) as object);
  }
}

/** Adds an audit entry for an experiment. @param after fields of `before`, which may have changed */
function noteUpdate(
  write: ProjectWrite,
  { id: itemId, name: itemName }: { id: number; name: string },
  before: object,
  after: object,
): void {
  const change = difference(before, after);
  write.changed('experiments', {
    action: 'update',
    itemType: 'experiment',
    itemId,
    ...change,
    itemName,
  });
}

/** Increments the versions of the experiments that show the item, if any. */
async function countUp(write: ProjectWrite, kind: AttachedCollection, id: number): Promise<void> {
  if (await countUpExperimentsWith(write.tx, kind, id)) {
    write.touched('experiments');
  }
}
