import {
  ApiExtraModels,
  ApiProperty,
  ApiSchema,
  OmitType,
  PartialType,
  getSchemaPath,
} from '@nestjs/swagger';
import { DAY_PATTERN } from '../common/time/days';
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

/** Percent. */
export const MAX_EFFECT = 1_000;
export const MAX_PLANNED = 1_000_000_000;

/* Descriptions of fields that requests and responses share. */
export const EXAMPLE_URL = 'URL of a page on which the experiment runs. Preview links open this page.';
export const TRAFFIC = 'Share of eligible visitors who take part, in percent, 0 to 100.';
export const MATCH_TYPE = 'Whether a visitor must match `any` audience or `all` audiences.';
export const TAGS = 'Tags for grouping and filtering experiments.';
export const JS = 'Script that runs before the script of the variation.';
export const RESET_JS =
  'Script that reverts the changes when the visitor leaves the page within a single-page application.';
export const CSS = 'Styles for all variations.';
export const MINIMUM_EFFECT = 'Smallest effect worth detecting: relative, in percent.';
export const PLANNED_PARTICIPANTS = 'Planned sample size of all variations. Fixed at the first start.';
export const PLANNED_END = 'Planned last day (UTC). Fixed at the first start.';
const VARIATIONS = 'Variations in order of creation.';

const CODE = { type: 'string', nullable: true } as const;

const item = {
  id: { type: 'integer', minimum: 1, description: 'Id of the attached record.' },
  name: { type: 'string', description: 'Name of the attached record.' },
} as const;

const Attached = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: { type: 'object', properties: item, required: ['id', 'name'] },
    description,
  });

@ApiExtraModels(VariationRecord)
@ApiSchema({ description: 'A comparison of variations, with its audiences, pages and goals.' })
export class ExperimentRecord {
  @Id()
  id: number;

  @Id('Id of the project.')
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({
    type: 'string',
    enum: STATUSES,
    description:
      '`preview`: visible through preview links only. `running`: shown to visitors and counted. `pause` and `archive`: not shown. Only the status operation changes it.',
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

  @Attached('Eligible visitors. Without audiences, every visitor is eligible.')
  audiences: AttachedItem[];

  @Attached('Pages on which the experiment runs.')
  pages: AttachedItem[];

  @Output({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        ...item,
        api_name: { type: 'string', description: 'Name of its events.' },
        type: { type: 'string', enum: [...GOAL_TYPES], description: 'Type of the goal.' },
      },
      required: ['id', 'name', 'api_name', 'type'],
    },
    description: 'The goals. The first one is the primary goal.',
  })
  goals: AttachedGoal[];

  @Attached('Environments in which the experiment runs.')
  environments: AttachedItem[];

  @Output({
    type: 'number',
    minimum: -100,
    maximum: MAX_EFFECT,
    nullable: true,
    description: `${MINIMUM_EFFECT} Negative for a decrease. It does not affect results.`,
  })
  minimum_effect: number | null;

  @Output({
    type: 'integer',
    minimum: 2,
    maximum: MAX_PLANNED,
    nullable: true,
    description: `${PLANNED_PARTICIPANTS} Then it can only be removed (null), which ends the plan.`,
  })
  planned_participants: number | null;

  @Output({
    type: 'string',
    pattern: DAY_PATTERN,
    nullable: true,
    description: `${PLANNED_END} Removing it then ends the plan.`,
  })
  planned_end: string | null;

  @Timestamp({ nullable: true, description: 'Time of the first start.' })
  started_at: string | null;

  @Timestamp({ nullable: true, description: 'Time of the pause; null unless paused.' })
  paused_at: string | null;

  @Timestamp({ nullable: true, description: 'Time of archiving; null unless archived.' })
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
    minimum_effect: null,
    planned_participants: null,
    planned_end: null,
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

/** The fields of an experiment selected by `fields`. */
@ApiSchema({ description: 'The fields of an experiment that the query parameter `fields` selects.' })
export class PartialExperimentRecord extends PartialType(OmitType(ExperimentRecord, ['variations'])) {
  @ApiProperty({
    type: 'array',
    items: {
      anyOf: [{ $ref: getSchemaPath(VariationRecord) }, { $ref: getSchemaPath(LiteVariationRecord) }],
    },
    required: false,
    description: `${VARIATIONS} In lists with \`variations=lite\`, each has fewer fields.`,
  })
  variations?: (VariationRecord | LiteVariationRecord)[];

  static readonly example: PartialExperimentRecord = {
    id: 1001,
    name: 'Green buy button',
    status: 'draft',
  };
}
