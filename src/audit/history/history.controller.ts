import { Readable } from 'node:stream';
import { Controller, Get, Header, Headers, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { type Listed, Streamed } from '../../common/http/answers';
import { type RawQuery, readOwnPage } from '../../common/lists/list-query';
import { Failures } from '../../common/validation/failures';
import { prefersNamed } from '../../presentation/media-types';
import type { AuditEntryRecord } from './audit-entry.record';
import { readHistoryFilter } from './history-query';
import { HistoryOperation, LINES_SUBTYPE, LINES_TYPE } from './history.reference';
import { HistoryService } from './history.service';

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], isLive: true })
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get('audit')
  @Can('read')
  @Header('Vary', 'Accept')
  @HistoryOperation()
  async list(
    @InScope() { projectId }: ProjectScope,
    @Query() query: RawQuery,
    @Headers('accept') accept: string | undefined,
  ): Promise<Listed<AuditEntryRecord> | Streamed> {
    const failures = new Failures();
    const filter = readHistoryFilter(query, failures);
    const page = prefersNamed(accept, LINES_SUBTYPE) ? null : readOwnPage(query, failures);
    failures.throwIfAny();
    return page === null
      ? new Streamed(Readable.from(this.history.lines(projectId, filter)), LINES_TYPE)
      : this.history.list(projectId, filter, page);
  }
}
