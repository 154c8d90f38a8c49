import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject, InTeam } from '../platform/access/route-access';
import { InScope, ProjectScope, TeamScope } from '../platform/access/scope';
import type { Created, Listed, Shown } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import {
  CreateProject,
  DryRunProjectRecord,
  ProjectRecord,
  UpdateProject,
  PROJECT_TEXTS,
} from './project.record';
import { ProjectsService } from './projects.service';

@ApiTags('Projects')
@Controller('teams/:team')
@InTeam({ collection: 'projects' })
export class TeamProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get('projects')
  @Can('read')
  @ListOperation(ProjectRecord, PROJECT_TEXTS.list)
  list(@InScope() scope: TeamScope, @Query() query: RawQuery): Promise<Listed<ProjectRecord>> {
    return this.projects.list(scope, query);
  }

  @Post('projects')
  @Can('projects:create')
  @CreateOperation(ProjectRecord, CreateProject, PROJECT_TEXTS.create, {
    dryRun: DryRunProjectRecord,
    parent: 'project list',
  })
  create(
    @InScope() scope: TeamScope,
    @Submitted(CreateProject, ProjectRecord) submission: Submission<CreateProject>,
  ): Promise<Created<ProjectRecord>> {
    return this.projects.createInTeam(scope, submission);
  }
}

@ApiTags('Projects')
@Controller('projects')
@InProject({ collection: 'record', items: [] })
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get(':project')
  @Can('read')
  @ShowOperation(ProjectRecord, PROJECT_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<ProjectRecord>> {
    return this.projects.show(scope);
  }

  @Put(':project')
  @Can('project:settings')
  @UpdateOperation(ProjectRecord, UpdateProject, PROJECT_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateProject, ProjectRecord) submission: Submission<UpdateProject>,
  ): Promise<Shown<ProjectRecord>> {
    return this.projects.update(scope, submission);
  }

  @Patch(':project')
  @Can('project:settings')
  @UpdateOperation(ProjectRecord, UpdateProject, PROJECT_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateProject, ProjectRecord) submission: Submission<UpdateProject>,
  ): Promise<Shown<ProjectRecord>> {
    return this.projects.update(scope, submission);
  }

  @Delete(':project')
  @HttpCode(204)
  @Can('project:delete')
  @DeleteOperation(PROJECT_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.projects.remove(scope);
  }
}
