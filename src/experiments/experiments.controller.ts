import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import type { Permission } from '../platform/access/roles';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Created, Listed, Shown } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  ActionOperation,
  ChangeOperation,
  CreateOperation,
  DeleteOperation,
  FindOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { FindByName } from '../projects/resources/resource';
import { ExperimentCloneService } from './experiment-clone.service';
import { ExperimentReader } from './experiment-reader';
import { ExperimentStatusService } from './experiment-status.service';
import { ExperimentStatus, permissionForMove } from './experiment-status';
import {
  ChangeStatus,
  CloneExperiment,
  CreateExperiment,
  RotatePreviews,
  UpdateExperiment,
} from './experiment.dto';
import { ExperimentRecord } from './experiment.record';
import { experimentPath } from './experiment.store';
import { ExperimentsService } from './experiments.service';
import { EXPERIMENT_TEXTS, ExperimentListOperation, ExperimentShowOperation } from './experiments.reference';
import { PreviewRotationService } from './preview-rotation.service';
import { DryRunExperimentRecord } from './unstored-experiment.record';

const statusIn = (scope: ProjectScope): ExperimentStatus => scope.target.status as ExperimentStatus;

const permissionToDelete = (scope: ProjectScope): Permission =>
  statusIn(scope) === 'running' ? 'experiments:run' : 'definitions:write';

const permissionToMove = (scope: ProjectScope, body: unknown): Permission =>
  permissionForMove(statusIn(scope), (body as { status?: unknown } | null | undefined)?.status);

@ApiTags('Experiments')
@Controller('projects/:project/experiments')
@InProject({ collection: 'experiments', items: [experimentPath] })
export class ExperimentsController {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly reader: ExperimentReader,
    private readonly statuses: ExperimentStatusService,
    private readonly clones: ExperimentCloneService,
    private readonly previews: PreviewRotationService,
  ) {}

  @Get()
  @Can('read')
  @ExperimentListOperation()
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<ExperimentRecord>> {
    return this.reader.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(ExperimentRecord, CreateExperiment, EXPERIMENT_TEXTS.create, {
    dryRun: DryRunExperimentRecord,
  })
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateExperiment, ExperimentRecord) submission: Submission<CreateExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.experiments.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(ExperimentRecord, FindByName, EXPERIMENT_TEXTS.find)
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.reader.findByName(scope, submission);
  }

  @Get(':experiment')
  @Can('read')
  @ExperimentShowOperation()
  show(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Shown<ExperimentRecord>> {
    return this.reader.show(scope, query);
  }

  @Put(':experiment')
  @Can('definitions:write')
  @UpdateOperation(ExperimentRecord, UpdateExperiment, EXPERIMENT_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateExperiment, ExperimentRecord) submission: Submission<UpdateExperiment>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.experiments.update(scope, submission);
  }

  @Patch(':experiment')
  @Can('definitions:write')
  @UpdateOperation(ExperimentRecord, UpdateExperiment, EXPERIMENT_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateExperiment, ExperimentRecord) submission: Submission<UpdateExperiment>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.experiments.update(scope, submission);
  }

  @Delete(':experiment')
  @HttpCode(204)
  @Can(permissionToDelete)
  @DeleteOperation(EXPERIMENT_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.experiments.remove(scope);
  }

  @Post(':experiment/clone')
  @Can('definitions:write')
  @CreateOperation(ExperimentRecord, CloneExperiment, EXPERIMENT_TEXTS.clone, {
    bodyRequired: false,
    dryRun: DryRunExperimentRecord,
    parent: 'experiment that is cloned',
  })
  clone(
    @InScope() scope: ProjectScope,
    @Submitted(CloneExperiment) submission: Submission<CloneExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.clones.clone(scope, submission);
  }

  @Post(':experiment/previews/rotate')
  @HttpCode(200)
  @Can('definitions:write')
  @ActionOperation(ExperimentRecord, RotatePreviews, EXPERIMENT_TEXTS.rotatePreviews)
  rotatePreviews(
    @InScope() scope: ProjectScope,
    @Submitted(RotatePreviews) submission: Submission<RotatePreviews>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.previews.rotateIn(scope, submission);
  }

  @Patch(':experiment/status')
  @Can(permissionToMove)
  @ChangeOperation(ExperimentRecord, ChangeStatus, EXPERIMENT_TEXTS.changeStatus)
  changeStatus(
    @InScope() scope: ProjectScope,
    @Submitted(ChangeStatus) submission: Submission<ChangeStatus>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.statuses.change(scope, submission);
  }
}
