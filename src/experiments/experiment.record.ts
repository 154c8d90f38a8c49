import { ApiExtraModels, getSchemaPath, PartialType } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { ApiName, Description, Id, Name, Timestamp } from '../common/validation/record-fields';
import { LiteVariationRecord, VariationRecord } from '../variations/variation.record';
import { Experiment, MATCH_TYPES } from './experiment.entity';
import { ExperimentStatus, STATUSES } from './experiment-status';

/** Something attached to an experiment. */
export interface AttachedItem {
  id: number;
  name: string;
}

export interface AttachedGoal extends AttachedItem {
  api_name: string;
  type: string;
}

const CODE = { type: 'string', nullable: true } as const;

const item = { id: { type: 'integer' }, name: { type: 'string' } } as const;

const Attached = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: { type: 'object', properties: item, required: ['id', 'name'] },
    description,
  });

@ApiExtraModels(VariationRecord, LiteVariationRecord)
export class ExperimentRecord {
  @Id()
  id: number;

  @Id()
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({ type: 'string', enum: STATUSES, description: 'Changed by the status operation only.' })
  status: ExperimentStatus;

  @Description()
  description: string | null;

  @Output({ type: 'string', nullable: true, description: 'A page on which the experiment can be seen.' })
  example_url: string | null;

  @Output({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'Percent of the eligible visitors who take part.',
  })
  traffic_allocation: number;

  @Output({
    type: 'string',
    enum: MATCH_TYPES,
    description: 'Must a visitor be in any of the audiences, or in all?',
  })
  audiences_match_type: Experiment['audiences_match_type'];

  @Output({ type: 'array', items: { type: 'string' } })
  tags: string[];

  @Output({ ...CODE, description: 'Script that runs before that of the variation.' })
  js: string | null;

  @Output({ ...CODE, description: 'Script that undoes what the others did.' })
  reset_js: string | null;

  @Output(CODE)
  css: string | null;

  @Output({
    type: 'array',
    items: {
      anyOf: [{ $ref: getSchemaPath(VariationRecord) }, { $ref: getSchemaPath(LiteVariationRecord) }],
    },
  })
  variations: (VariationRecord | LiteVariationRecord)[];

  @Attached('Who is eligible; nobody attached = everyone.')
  audiences: AttachedItem[];

  @Attached('Where the experiment takes place.')
  pages: AttachedItem[];

  @Output({
    type: 'array',
    items: {
      type: 'object',
      properties: { ...item, api_name: { type: 'string' }, type: { type: 'string' } },
      required: ['id', 'name', 'api_name', 'type'],
    },
    description: 'What is measured; the first is the primary goal.',
  })
  goals: AttachedGoal[];

  @Attached('Where it applies.')
  environments: AttachedItem[];

  @Timestamp({ nullable: true, description: 'When it ran for the first time.' })
  started_at: string | null;

  @Timestamp({ nullable: true, description: 'When it was paused; null unless it is.' })
  paused_at: string | null;

  @Timestamp({ nullable: true, description: 'When it was archived; null unless it is.' })
  archived_at: string | null;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static readonly example: ExperimentRecord = {
    id: 1001,
    project_id: 1,
    name: 'Buy button',
    api_name: 'buy-button',
    status: 'draft',
    description: null,
    example_url: 'https://shop.example.com/',
    traffic_allocation: 100,
    audiences_match_type: 'any',
    tags: ['checkout'],
    js: null,
    reset_js: null,
    css: null,
    variations: [VariationRecord.example],
    audiences: [{ id: 7, name: 'Mobile visitors' }],
    pages: [{ id: 3, name: 'Product pages' }],
    goals: [{ id: 11, name: 'Order placed', api_name: 'order-placed', type: 'custom' }],
    environments: [{ id: 1, name: 'Production' }],
    started_at: null,
    paused_at: null,
    archived_at: null,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

/** The fields of an experiment that `fields` names. */
export class PartialExperimentRecord extends PartialType(ExperimentRecord) {
  static readonly example: Partial<ExperimentRecord> = { id: 1001, name: 'Buy button', status: 'draft' };
}
