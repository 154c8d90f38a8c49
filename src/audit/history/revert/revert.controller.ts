import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../../platform/access/route-access';
import { InScope, ProjectScope } from '../../../platform/access/scope';
import type { Shown } from '../../../common/http/answers';
import { ActionOperation } from '../../../common/openapi/operations';
import { formWithoutId } from '../../../common/openapi/safe-retries';
import { Submission, Submitted } from '../../../common/validation/submission';
import { AuditEntryRecord } from '../audit-entry.record';
import { entryPath } from '../history.store';
import { RevertAuditEntry, RevertService } from './revert.service';

const REVERT_TEXT = {
  id: 'revertAuditEntry',
  summary: 'Revert a change',
  description: `Reverts the change recorded in an entry, unless the record has changed since. Reverting an update restores
the old field values, reverting a creation deletes the record, and reverting a deletion restores the record with its id. All rules and permissions of these
changes apply. Otherwise the response is 422 and names the fields that have changed (\`CHANGED_SINCE\`), or says what to do
instead (\`NOT_REVERTIBLE\`): status changes, publications, links and settings made with the admin command cannot be reverted.

Returns the new entry, with the action \`revert\`. It can itself be reverted. With \`dry_run=1\` it shows what would
change. A restored experiment is not running, and a restored item is not attached to experiments. Edits of running
experiments go live when you publish the project. \`If-Match\` and the ETag refer to the changed record.`,
};

@ApiTags('Projects')
@Controller('projects/:project/audit/:entry')
@InProject({ collection: 'record', items: [entryPath], isLive: true })
export class RevertController {
  constructor(private readonly reverts: RevertService) {}

  /** The kind of change determines further permissions. */
  @Post('revert')
  @HttpCode(200)
  @Can('definitions:write')
  @ActionOperation(AuditEntryRecord, RevertAuditEntry, REVERT_TEXT, {
    dryRun: formWithoutId(AuditEntryRecord),
  })
  revert(
    @InScope() scope: ProjectScope,
    @Submitted(RevertAuditEntry) submission: Submission<RevertAuditEntry>,
  ): Promise<Shown<AuditEntryRecord>> {
    submission.failures().throwIfAny();
    return this.reverts.revert(scope, scope.items.entry.id);
  }
}
