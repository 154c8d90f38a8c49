import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ListOperation, ShowOperation } from '../common/openapi/operations';
import { EXPERIMENT_FIELDS } from './experiment-fields';
import { STATUSES } from './experiment-status';
import { ExperimentRecord, PartialExperimentRecord } from './experiment.record';

/** The parameter `fields` of reads of experiments. */
const ExperimentFieldsQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'fields',
    required: false,
    description: `Comma-separated names of the fields to return, of: ${EXPERIMENT_FIELDS.join(', ')}.`,
    schema: { type: 'string' },
    example: 'id,name,status',
  });

/** What the reference says about the list of experiments. */
export const ExperimentListOperation = (): MethodDecorator =>
  applyDecorators(
    ListOperation(ExperimentRecord, {
      id: 'listExperiments',
      summary: 'List the experiments of a project',
      partial: PartialExperimentRecord,
    }),
    ExperimentFieldsQuery(),
    ApiQuery({
      name: 'variations',
      required: false,
      description: 'Show only id, name, api_name, is_original and traffic_allocation of variations.',
      schema: { type: 'string', enum: ['lite'] },
    }),
    ApiQuery({
      name: 'status',
      required: false,
      description: `Comma-separated, any of: ${STATUSES.join(', ')}.`,
      schema: { type: 'string' },
    }),
    ApiQuery({
      name: 'tags',
      required: false,
      description: 'Comma-separated; experiments that have any of them.',
      schema: { type: 'string' },
    }),
  );

/** What the reference says about showing one experiment. */
export const ExperimentShowOperation = (): MethodDecorator =>
  applyDecorators(
    ShowOperation(
      ExperimentRecord,
      { id: 'showExperiment', summary: 'Show an experiment', partial: PartialExperimentRecord },
      true,
    ),
    ExperimentFieldsQuery(),
  );
