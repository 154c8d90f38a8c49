import { Controller, Delete, Get, HttpCode, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import { DeleteOperation, LiveOperation } from '../common/openapi/operations';
import type { IdempotentRequest } from '../platform/idempotency/request-options';
import { VisitorRecord } from './visitor.record';
import { VISITOR_TEXTS } from './visitors.reference';
import { VisitorsService } from './visitors.service';

@ApiTags('Visitors')
@Controller('projects/:project/visitors/:visitor')
@InProject({ collection: 'record', items: [], texts: ['visitor'], isLive: true })
export class VisitorsController {
  constructor(private readonly visitors: VisitorsService) {}

  @Get()
  @Can('read')
  @LiveOperation(VisitorRecord, VISITOR_TEXTS.show)
  show(@InScope() { projectId }: ProjectScope, @Req() { params }: IdempotentRequest): Promise<VisitorRecord> {
    return this.visitors.show(projectId, params.visitor ?? '');
  }

  @Delete()
  @HttpCode(204)
  @Can('visitors:delete')
  @DeleteOperation(VISITOR_TEXTS.remove)
  async remove(@InScope() scope: ProjectScope, @Req() { params, dryRun }: IdempotentRequest): Promise<void> {
    await this.visitors.delete(scope, params.visitor ?? '', dryRun === 'yes');
  }
}
