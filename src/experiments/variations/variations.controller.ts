import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { changeTexts, createText, readTexts } from '../../common/openapi/resource-texts';
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
import {
  CreateVariation,
  DryRunVariationRecord,
  MAX_VARIATIONS,
  UpdateVariation,
  VariationRecord,
} from './variation.record';
import { variationPath } from './variation.store';
import { VariationsService } from './variations.service';

const VARIATION = { id: 'Variation', one: 'a variation', many: 'the variations of an experiment' };

/** Reference texts for variations. */
const VARIATION_TEXTS = {
  ...readTexts(
    VARIATION,
    `A variation is one of the versions that visitors see: usually the unchanged page (the original), and others changed by
\`css\` and \`js\`. Anyone with the \`preview_url\` can see the variation without being counted.`,
  ),
  create: createText(
    VARIATION,
    `Adds a variation to an experiment. The first variation is the original until you choose another one; all other variations are compared with it. Variations with a null share divide the remaining traffic equally. The shares may add up to at most
100 percent. An experiment can have up to ${MAX_VARIATIONS} variations.`,
  ),
  ...changeTexts(VARIATION, {
    update: `In a running experiment, the change goes live when the project is published. Visitors keep their variation: a new
share applies to new visitors only. The id never changes. Until the experiment is started, \`is_original: true\` makes this variation the original instead of the current one.`,
    remove: `Rejected with 422 if the experiment already has participants or is archived, if the variation is the original and there are others,
if it is the last variation of a running experiment, or if the recorded decision names it.`,
  }),
};

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
