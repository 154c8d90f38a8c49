import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../../platform/access/route-access';
import { InScope, ProjectScope } from '../../../platform/access/scope';
import type { Shown } from '../../../common/http/answers';
import { ActionOperation } from '../../../common/openapi/operations';
import { formWithoutId } from '../../../common/openapi/safe-retries';
import { Submission, Submitted } from '../../../common/validation/submission';
import { AuditEntryRecord } from '../audit-entry.record';
import { REVERT_TEXT } from '../history.controller';
import { entryPath } from '../history.store';
import { RevertAuditEntry, RevertService } from './revert.service';

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
