import { Controller, Delete, Get, HttpCode, Patch, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { InScope, ProjectScope, TeamScope } from '../access/scope';
import type { Listed, Shown } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import { DeleteOperation, ListOperation, ShowOperation, UpdateOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { UpdateProject } from './project.dto';
import { ProjectRecord } from './project.record';
import { ProjectsService } from './projects.service';

@ApiTags('Projects')
@Controller('teams/:team/projects')
export class TeamProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get()
  @Can('read')
  @ListOperation(ProjectRecord, { id: 'listProjects', summary: 'List the projects of a team' })
  list(@InScope() scope: TeamScope, @Query() query: RawQuery): Promise<Listed<ProjectRecord>> {
    return this.projects.list(scope, query);
  }
}

@ApiTags('Projects')
@Controller('projects')
@InProject({ collection: 'record', items: [] })
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Get(':project')
  @Can('read')
  @ShowOperation(ProjectRecord, { id: 'showProject', summary: 'Show a project' })
  show(@InScope() scope: ProjectScope): Promise<Shown<ProjectRecord>> {
    return this.projects.show(scope);
  }

  @Put(':project')
  @Can('project:settings')
  @UpdateOperation(ProjectRecord, UpdateProject, {
    id: 'putProject',
    summary: 'Update the settings of a project',
  })
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateProject, ProjectRecord) submission: Submission<UpdateProject>,
  ): Promise<Shown<ProjectRecord>> {
    return this.projects.update(scope, submission);
  }

  @Patch(':project')
  @Can('project:settings')
  @UpdateOperation(ProjectRecord, UpdateProject, {
    id: 'patchProject',
    summary: 'Update the settings of a project; the same as PUT',
  })
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateProject, ProjectRecord) submission: Submission<UpdateProject>,
  ): Promise<Shown<ProjectRecord>> {
    return this.projects.update(scope, submission);
  }

  @Delete(':project')
  @HttpCode(204)
  @Can('project:delete')
  @DeleteOperation({
    id: 'deleteProject',
    summary: 'Delete a project',
    description:
      'It goes to the trash, from which an administrator can restore it for 30 days. Refused while an experiment of it is running.',
  })
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.projects.remove(scope);
  }
}
