import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { InScope, PathItem, ProjectScope } from '../access/scope';
import type { Listed, Shown } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import { FindOperation, ListOperation, ShowOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { FindByName } from '../projects/named-item';
import { EnvironmentRecord } from './environment.record';
import { EnvironmentsService } from './environments.service';
import { ENVIRONMENT_TEXTS } from './environments.reference';

const environmentPath: PathItem = { param: 'environment', table: 'environments', parentColumn: 'project_id' };

@ApiTags('Environments')
@Controller('projects/:project/environments')
@InProject({ collection: 'environments', items: [environmentPath] })
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @Get()
  @Can('read')
  @ListOperation(EnvironmentRecord, ENVIRONMENT_TEXTS.list)
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<EnvironmentRecord>> {
    return this.environments.items.list(scope, query);
  }

  @Get(':environment')
  @Can('read')
  @ShowOperation(EnvironmentRecord, ENVIRONMENT_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<EnvironmentRecord>> {
    return this.environments.items.show(scope);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(EnvironmentRecord, FindByName, ENVIRONMENT_TEXTS.find)
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<EnvironmentRecord>> {
    return this.environments.items.findByName(scope, submission);
  }
}
