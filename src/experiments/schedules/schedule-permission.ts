import { Injectable } from '@nestjs/common';
import { roleAllows } from '../../platform/access/roles';
import type { ScheduleAuthor } from '../schedule';
import type { ProjectWrite } from '../../projects/project-writer';
import { ScheduleStore } from './schedule.store';

/** Whether the user who set a schedule still has the permission for it. */
@Injectable()
export class SchedulePermission {
  constructor(private readonly store: ScheduleStore) {}

  /** The reason for a refusal, as a sentence; null if the user has the permission. */
  async refusal(
    { tx, projectId, now }: Pick<ProjectWrite, 'tx' | 'projectId' | 'now'>,
    { user_id: userId, token_id: tokenId }: ScheduleAuthor,
  ): Promise<string | null> {
    const member = await this.store.member(tx, userId, projectId);
    if (member === null) {
      return 'The user who set it was deleted.';
    }
    const { name, isDisabled, role } = member;
    if (isDisabled) {
      return `The user who set it, ${name}, is disabled.`;
    }
    if (role === null) {
      return `The user who set it, ${name}, is no longer a member of the team.`;
    }
    if (!roleAllows(role, 'experiments:run')) {
      return `The user who set it, ${name}, is now ${role === 'viewer' ? 'a viewer' : 'an editor'} and may no longer do this.`;
    }
    const isValid = tokenId === null || (await this.store.isTokenValid(tx, tokenId, now));
    return isValid ? null : `The API token of ${name} that set it was revoked or has expired.`;
  }
}
