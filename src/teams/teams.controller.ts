import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can } from '../platform/access/route-access';
import { InScope, UserScope } from '../platform/access/scope';
import type { Listed } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import { ListOperation } from '../common/openapi/operations';
import { TeamRecord } from './team.record';
import { TEAM_LIST } from './teams.reference';
import { TeamsService } from './teams.service';

@ApiTags('Teams')
@Controller('teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get()
  @Can('read')
  @ListOperation(TeamRecord, TEAM_LIST, false)
  list(@InScope() scope: UserScope, @Query() query: RawQuery): Promise<Listed<TeamRecord>> {
    return this.teams.list(scope, query);
  }
}
