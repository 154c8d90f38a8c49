import { Controller, Delete, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import type { Created, Shown } from '../../common/http/answers';
import { CreateOperation, DeleteOperation, UpdateOperation } from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { CreateEnvironment, EnvironmentRecord, UpdateEnvironment } from './environment.record';
import { ENVIRONMENT_TEXTS, ENVIRONMENTS } from './environments.resource';
import { EnvironmentsService } from './environments.service';

/** Changes to environments. Read them at `/projects/{project}/environments`. */
@ApiTags('Environments')
@Controller('projects/:project/settings')
@InProject({ collection: ENVIRONMENTS.collection, items: [ENVIRONMENTS.pathItem] })
export class EnvironmentSettingsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @Post('environments')
  @Can('environments:manage')
  @CreateOperation(EnvironmentRecord, CreateEnvironment, ENVIRONMENT_TEXTS.create)
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateEnvironment, EnvironmentRecord) submission: Submission<CreateEnvironment>,
  ): Promise<Created<EnvironmentRecord>> {
    return this.environments.createInProject(scope, submission);
  }

  @Patch('environments/:environment')
  @Can('environments:manage')
  @UpdateOperation(EnvironmentRecord, UpdateEnvironment, ENVIRONMENT_TEXTS.update)
  update(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateEnvironment, EnvironmentRecord) submission: Submission<UpdateEnvironment>,
  ): Promise<Shown<EnvironmentRecord>> {
    return this.environments.updateOne(scope, submission);
  }

  @Delete('environments/:environment')
  @HttpCode(204)
  @Can('environments:manage')
  @DeleteOperation(ENVIRONMENT_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.environments.removeOne(scope);
  }
}
