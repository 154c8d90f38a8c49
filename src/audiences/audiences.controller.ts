import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { InScope, PathItem, ProjectScope } from '../access/scope';
import type { Created, Listed, Shown } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  FindOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { FindByName } from '../projects/named-item';
import { AudienceRecord } from './audience.record';
import { CreateAudience, UpdateAudience } from './audience.dto';
import { AudiencesService } from './audiences.service';
import { AUDIENCE_TEXTS } from './audiences.reference';

const audiencePath: PathItem = { param: 'audience', table: 'audiences', parentColumn: 'project_id' };

@ApiTags('Audiences')
@Controller('projects/:project/audiences')
@InProject({ collection: 'audiences', items: [audiencePath] })
export class AudiencesController {
  constructor(private readonly audiences: AudiencesService) {}

  @Get()
  @Can('read')
  @ListOperation(AudienceRecord, AUDIENCE_TEXTS.list)
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<AudienceRecord>> {
    return this.audiences.items.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(AudienceRecord, CreateAudience, AUDIENCE_TEXTS.create)
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateAudience, AudienceRecord) submission: Submission<CreateAudience>,
  ): Promise<Created<AudienceRecord>> {
    return this.audiences.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(AudienceRecord, FindByName, AUDIENCE_TEXTS.find)
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<AudienceRecord>> {
    return this.audiences.items.findByName(scope, submission);
  }

  @Get(':audience')
  @Can('read')
  @ShowOperation(AudienceRecord, AUDIENCE_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<AudienceRecord>> {
    return this.audiences.items.show(scope);
  }

  @Put(':audience')
  @Can('definitions:write')
  @UpdateOperation(AudienceRecord, UpdateAudience, AUDIENCE_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateAudience, AudienceRecord) submission: Submission<UpdateAudience>,
  ): Promise<Shown<AudienceRecord>> {
    return this.audiences.update(scope, submission);
  }

  @Patch(':audience')
  @Can('definitions:write')
  @UpdateOperation(AudienceRecord, UpdateAudience, AUDIENCE_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateAudience, AudienceRecord) submission: Submission<UpdateAudience>,
  ): Promise<Shown<AudienceRecord>> {
    return this.audiences.update(scope, submission);
  }

  @Delete(':audience')
  @HttpCode(204)
  @Can('definitions:write')
  @DeleteOperation(AUDIENCE_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.audiences.items.remove(scope);
  }
}
