import { Injectable } from '@nestjs/common';
import type { Collection } from '../access/route-access';
import { withIds } from '../common/text/names';
import { ExperimentAttachments } from '../projects/dependents';
import type { ProjectWrite } from '../projects/project-writer';
import {
  AttachedTo,
  AttachmentKind,
  ATTACHMENTS,
  countUpExperimentsWith,
  detach,
  experimentsWith,
} from './attachment.store';

/** The fields of attached items that experiments show. */
const SHOWN: Record<AttachmentKind, readonly string[]> = {
  audiences: ['name'],
  pages: ['name'],
  goals: ['name', 'api_name', 'type'],
  environments: ['name'],
};

/** Running experiments need one environment at least, and each of their other items; so do previewed ones. */
function isInNeed({ status, attached }: AttachedTo, kind: AttachmentKind): boolean {
  if (kind === 'environments') {
    return status === 'running' && attached === 1;
  }
  return status === 'running' || status === 'preview';
}

const isAttachable = (collection: Collection): collection is AttachmentKind => collection in ATTACHMENTS;

/** What becomes of experiments when an item that is attached to them changes or goes. */
@Injectable()
export class AttachmentsService implements ExperimentAttachments {
  async release(write: ProjectWrite, collection: Collection, id: number): Promise<void> {
    if (!isAttachable(collection)) {
      return;
    }
    const users = await experimentsWith(write.tx, collection, id);
    const active = users.filter((user) => isInNeed(user, collection));
    if (active.length > 0) {
      write.failures.add(
        'experiments',
        `The ${collection.slice(0, -1)} is used by running or previewed experiments: ${withIds(active)}.`,
      );
      return;
    }
    await countUp(write, collection, id);
    await detach(write.tx, collection, id);
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

/** Everything that shows the item has changed; where nothing does, nothing has. */
async function countUp(write: ProjectWrite, kind: AttachmentKind, id: number): Promise<void> {
  if (await countUpExperimentsWith(write.tx, kind, id)) {
    write.touched('experiments');
  }
}
