import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import type { Permission } from '../access/roles';
import { InScope, ProjectScope } from '../access/scope';
import type { Created, Listed, Shown } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  FindOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { FindByName } from '../projects/named-item';
import { ExperimentCloneService } from './experiment-clone.service';
import { experimentPath } from './experiment-path';
import { ExperimentReader } from './experiment-reader';
import { ExperimentStatusService } from './experiment-status.service';
import { ExperimentStatus, permissionForMove } from './experiment-status';
import { ChangeStatus, CloneExperiment, CreateExperiment, UpdateExperiment } from './experiment.dto';
import { ExperimentRecord } from './experiment.record';
import { ExperimentsService } from './experiments.service';
import { ExperimentListOperation, ExperimentShowOperation } from './experiments.reference';
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
  ) {}

  @Get()
  @Can('read')
  @ExperimentListOperation()
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<ExperimentRecord>> {
    return this.reader.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(
    ExperimentRecord,
    CreateExperiment,
    { id: 'createExperiment', summary: 'Create an experiment' },
    { dryRun: DryRunExperimentRecord },
  )
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateExperiment, ExperimentRecord) submission: Submission<CreateExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.experiments.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(ExperimentRecord, FindByName, {
    id: 'findExperimentByName',
    summary: 'Find an experiment by its exact name',
  })
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
  @UpdateOperation(ExperimentRecord, UpdateExperiment, {
    id: 'putExperiment',
    summary: 'Update an experiment',
  })
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateExperiment, ExperimentRecord) submission: Submission<UpdateExperiment>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.experiments.update(scope, submission);
  }

  @Patch(':experiment')
  @Can('definitions:write')
  @UpdateOperation(ExperimentRecord, UpdateExperiment, {
    id: 'patchExperiment',
    summary: 'Update an experiment; the same as PUT',
  })
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateExperiment, ExperimentRecord) submission: Submission<UpdateExperiment>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.experiments.update(scope, submission);
  }

  @Delete(':experiment')
  @HttpCode(204)
  @Can(permissionToDelete)
  @DeleteOperation({
    id: 'deleteExperiment',
    summary: 'Delete an experiment',
    description: 'It goes to the trash, from which an administrator can restore it for 30 days.',
  })
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.experiments.remove(scope);
  }

  @Post(':experiment/clone')
  @Can('definitions:write')
  @CreateOperation(
    ExperimentRecord,
    CloneExperiment,
    {
      id: 'cloneExperiment',
      summary: 'Clone an experiment',
      description: 'Makes a draft with everything copied except results, share token, status and history.',
    },
    { bodyRequired: false, dryRun: DryRunExperimentRecord },
  )
  clone(
    @InScope() scope: ProjectScope,
    @Submitted(CloneExperiment) submission: Submission<CloneExperiment>,
  ): Promise<Created<ExperimentRecord>> {
    return this.clones.clone(scope, submission);
  }

  @Patch(':experiment/status')
  @Can(permissionToMove)
  @UpdateOperation(ExperimentRecord, ChangeStatus, {
    id: 'changeExperimentStatus',
    summary: 'Change the status of an experiment',
    description:
      'A refused move is 422 with everything that is missing and `allowed_statuses`. The status it has already is accepted and changes nothing.',
  })
  changeStatus(
    @InScope() scope: ProjectScope,
    @Submitted(ChangeStatus) submission: Submission<ChangeStatus>,
  ): Promise<Shown<ExperimentRecord>> {
    return this.statuses.change(scope, submission);
  }
}
