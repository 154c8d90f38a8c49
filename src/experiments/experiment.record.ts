import {
  ApiExtraModels,
  ApiProperty,
  ApiSchema,
  OmitType,
  PartialType,
  getSchemaPath,
} from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import {
  ApiName,
  CreatedAt,
  Description,
  Id,
  Name,
  Timestamp,
  UpdatedAt,
} from '../common/validation/record-fields';
import { GOAL_TYPES } from '../goals/goal.entity';
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

/* What the reference says of the fields, in requests and answers. */
export const EXAMPLE_URL = 'A page on which the experiment can be seen; previews open there.';
export const TRAFFIC = 'Percent of the eligible visitors who take part, 0 to 100.';
export const MATCH_TYPE = 'Must a visitor be in `any` of the audiences, or in `all`?';
export const TAGS = 'Words to group and filter experiments by.';
export const JS = 'Script that runs before that of the variation.';
export const RESET_JS =
  'Script that undoes what the others did, when the visitor leaves the page within a single-page application.';
export const CSS = 'Styles for all variations.';
const VARIATIONS = 'In the order in which they were made.';

const CODE = { type: 'string', nullable: true } as const;

const item = {
  id: { type: 'integer', minimum: 1, description: 'Id of what is attached.' },
  name: { type: 'string', description: 'Its name.' },
} as const;

const Attached = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: { type: 'object', properties: item, required: ['id', 'name'] },
    description,
  });

@ApiExtraModels(VariationRecord)
@ApiSchema({ description: 'A comparison of variations: who takes part, where, and what is measured.' })
export class ExperimentRecord {
  @Id()
  id: number;

  @Id('The project that it belongs to.')
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({
    type: 'string',
    enum: STATUSES,
    description:
      '`preview` is for trying it out, `running` counts, `pause` and `archive` end it. Changed by the status operation only.',
  })
  status: ExperimentStatus;

  @Description()
  description: string | null;

  @Output({ type: 'string', nullable: true, description: EXAMPLE_URL })
  example_url: string | null;

  @Output({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: TRAFFIC,
  })
  traffic_allocation: number;

  @Output({
    type: 'string',
    enum: MATCH_TYPES,
    description: MATCH_TYPE,
  })
  audiences_match_type: Experiment['audiences_match_type'];

  @Output({ type: 'array', items: { type: 'string' }, description: TAGS })
  tags: string[];

  @Output({ ...CODE, description: JS })
  js: string | null;

  @Output({ ...CODE, description: RESET_JS })
  reset_js: string | null;

  @Output({ ...CODE, description: CSS })
  css: string | null;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VariationRecord) },
    description: VARIATIONS,
  })
  variations: VariationRecord[];

  @Attached('Who is eligible; nobody attached = everyone.')
  audiences: AttachedItem[];

  @Attached('Where the experiment takes place.')
  pages: AttachedItem[];

  @Output({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        ...item,
        api_name: { type: 'string', description: 'What its events are called.' },
        type: { type: 'string', enum: [...GOAL_TYPES], description: 'What counts.' },
      },
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

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: ExperimentRecord = {
    id: 1001,
    project_id: 1,
    name: 'Green buy button',
    api_name: 'green-buy-button',
    status: 'draft',
    description: null,
    example_url: 'https://shop.example.com/products/tea-pot',
    traffic_allocation: 100,
    audiences_match_type: 'any',
    tags: ['checkout'],
    js: null,
    reset_js: null,
    css: null,
    variations: [VariationRecord.example],
    audiences: [{ id: 1, name: 'Mobile visitors' }],
    pages: [{ id: 2, name: 'Product pages' }],
    goals: [{ id: 3, name: 'Order placed', api_name: 'order-placed', type: 'custom' }],
    environments: [{ id: 1, name: 'Production' }],
    started_at: null,
    paused_at: null,
    archived_at: null,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

/** An experiment in lists with `variations=lite`. */
@ApiExtraModels(LiteVariationRecord)
@ApiSchema({
  description: 'An experiment in lists with `variations=lite`, without the code of its variations.',
})
export class LiteExperimentRecord extends OmitType(ExperimentRecord, ['variations']) {
  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(LiteVariationRecord) },
    description: VARIATIONS,
  })
  variations: LiteVariationRecord[];

  static readonly example: LiteExperimentRecord = ExperimentRecord.example;
}

/** The fields of an experiment that `fields` names. */
@ApiSchema({ description: 'Those fields of an experiment that the query `fields` names.' })
export class PartialExperimentRecord extends PartialType(OmitType(ExperimentRecord, ['variations'])) {
  @ApiProperty({
    type: 'array',
    items: {
      anyOf: [{ $ref: getSchemaPath(VariationRecord) }, { $ref: getSchemaPath(LiteVariationRecord) }],
    },
    required: false,
    description: `${VARIATIONS} In lists with \`variations=lite\` each is a lighter form.`,
  })
  variations?: (VariationRecord | LiteVariationRecord)[];

  static readonly example: PartialExperimentRecord = {
    id: 1001,
    name: 'Green buy button',
    status: 'draft',
  };
}
