import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, PathItem, ProjectScope } from '../../platform/access/scope';
import type { Created, Listed, Shown } from '../../common/http/answers';
import type { RawQuery } from '../../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { CreateVariation, UpdateVariation } from './variation.dto';
import { DryRunVariationRecord, VariationRecord } from './variation.record';
import { variationPath } from './variation.store';
import { VariationsService } from './variations.service';
import { VARIATION_TEXTS } from './variations.reference';

const experimentPath: PathItem = {
  param: 'experiment',
  table: 'experiments',
  parentColumn: 'project_id',
  columns: ['status', 'example_url', 'preview_version'],
  isKeptInTrash: true,
};

@ApiTags('Variations')
@Controller('projects/:project/experiments/:experiment/variations')
@InProject({ collection: 'experiments', items: [experimentPath, variationPath] })
export class VariationsController {
  constructor(private readonly variations: VariationsService) {}

  @Get()
  @Can('read')
  @ListOperation(VariationRecord, VARIATION_TEXTS.list)
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<VariationRecord>> {
    return this.variations.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(VariationRecord, CreateVariation, VARIATION_TEXTS.create, {
    dryRun: DryRunVariationRecord,
    parent: 'experiment',
  })
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateVariation, VariationRecord) submission: Submission<CreateVariation>,
  ): Promise<Created<VariationRecord>> {
    return this.variations.create(scope, submission);
  }

  @Get(':variation')
  @Can('read')
  @ShowOperation(VariationRecord, VARIATION_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<VariationRecord>> {
    return this.variations.show(scope);
  }

  @Put(':variation')
  @Can('definitions:write')
  @UpdateOperation(VariationRecord, UpdateVariation, VARIATION_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateVariation, VariationRecord) submission: Submission<UpdateVariation>,
  ): Promise<Shown<VariationRecord>> {
    return this.variations.update(scope, submission);
  }

  @Patch(':variation')
  @Can('definitions:write')
  @UpdateOperation(VariationRecord, UpdateVariation, VARIATION_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateVariation, VariationRecord) submission: Submission<UpdateVariation>,
  ): Promise<Shown<VariationRecord>> {
    return this.variations.update(scope, submission);
  }

  @Delete(':variation')
  @HttpCode(204)
  @Can('definitions:write')
  @DeleteOperation(VARIATION_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.variations.remove(scope);
  }
}
