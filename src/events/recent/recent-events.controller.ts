import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import type { RawQuery } from '../../common/lists/list-query';
import { type RecentEvents, toRecentEvents } from './recent-events.record';
import { RecentEventsOperation } from './recent-events.reference';
import { RecentEventsService } from './recent-events.service';
import { parseRecentQuery } from './recent-query';

@ApiTags('Collection')
@Controller('projects/:project/events')
@InProject({ collection: 'record', items: [], isLive: true })
export class RecentEventsController {
  constructor(private readonly events: RecentEventsService) {}

  @Get('recent')
  @Can('read')
  @RecentEventsOperation()
  async list(@InScope() { projectId }: ProjectScope, @Query() query: RawQuery): Promise<RecentEvents> {
    return toRecentEvents(await this.events.read(projectId, parseRecentQuery(query)));
  }
}
