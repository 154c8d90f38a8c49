import { Readable } from 'node:stream';
import { Controller, Get, Header, Headers, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { type Listed, Streamed } from '../../common/http/answers';
import { parsePage, type RawQuery } from '../../common/lists/list-query';
import { prefersNamed } from '../../presentation/media-types';
import type { AuditEntryRecord } from './audit-entry.record';
import { parseHistoryFilter } from './history-query';
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
    const filter = parseHistoryFilter(query);
    return prefersNamed(accept, LINES_SUBTYPE)
      ? new Streamed(Readable.from(this.history.lines(projectId, filter)), LINES_TYPE)
      : this.history.list(projectId, filter, parsePage(query));
  }
}
