import {
  ApiExtraModels,
  ApiProperty,
  ApiSchema,
  OmitType,
  PartialType,
  getSchemaPath,
} from '@nestjs/swagger';
import { DAY_PATTERN } from '../common/time/clock';
import { Output } from '../common/validation/fields';
import {
  CreatedAt,
  Description,
  Timestamp,
  UpdatedAt,
  NamedRecord,
} from '../common/validation/record-fields';
import { LiteVariationRecord, VariationRecord } from './variations/variation.record';
import { Attached, type AttachedGoal, AttachedGoals, type AttachedItem } from './attachment-list';
import { Decision, DecisionOutput } from './decision';
import {
  CSS,
  EXAMPLE_URL,
  EXCLUSION_GROUP,
  EXCLUSION_SHARE,
  GUARDRAIL_ACTION,
  HYPOTHESIS,
  JS,
  MATCH_TYPE,
  MAX_EFFECT,
  MAX_PLANNED,
  MINIMUM_EFFECT,
  MIN_EXCLUSION_SHARE,
  PLANNED_END,
  PLANNED_PARTICIPANTS,
  RESET_JS,
  SHARED,
  TAGS,
  TRAFFIC,
} from './experiment-descriptions';
import { Experiment, GUARDRAIL_ACTIONS, MATCH_TYPES } from './experiment.entity';
import { ExperimentStatus, STATUSES } from './experiment-status';

const VARIATIONS = 'Variations in order of creation.';

const CODE = { type: 'string', nullable: true } as const;

@ApiExtraModels(VariationRecord)
@ApiSchema({ description: 'A comparison of variations, with its audiences, pages and goals.' })
export class ExperimentRecord extends NamedRecord {
  @Output({
    type: 'string',
    enum: STATUSES,
    description:
      '`preview`: visible through preview links only. `running`: shown to visitors and counted. `pause` and `archive`: not shown. Only the status operation changes it.',
  })
  status: ExperimentStatus;

  @Description()
  description: string | null;

  @Output({ type: 'string', nullable: true, description: HYPOTHESIS })
  hypothesis: string | null;

  @Output({ type: 'string', nullable: true, description: EXAMPLE_URL })
  example_url: string | null;

  @Output({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: TRAFFIC,
  })
  traffic_allocation: number;

  @Output({ type: 'integer', minimum: 1, nullable: true, description: EXCLUSION_GROUP })
  exclusion_group_id: number | null;

  @Output({ type: 'number', minimum: MIN_EXCLUSION_SHARE, maximum: 100, description: EXCLUSION_SHARE })
  exclusion_share: number;

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

  @AttachedGoals('The goals. The first one is the primary goal.')
  goals: AttachedGoal[];

  @AttachedGoals('Goals that must not get worse. They have no other effect on the result.')
  guardrails: AttachedGoal[];

  @Output({ type: 'string', enum: GUARDRAIL_ACTIONS, description: GUARDRAIL_ACTION })
  guardrail_action: Experiment['guardrail_action'];

  @Attached('Environments in which the experiment runs. If the list is empty, no visitor takes part.')
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
    description: `${PLANNED_PARTICIPANTS} After that, it can only be removed (null), which ends the plan.`,
  })
  planned_participants: number | null;

  @Output({
    type: 'string',
    pattern: DAY_PATTERN,
    nullable: true,
    description: `${PLANNED_END} Removing it after that ends the plan.`,
  })
  planned_end: string | null;

  @DecisionOutput()
  decision: Decision | null;

  @Output({ type: 'boolean', description: SHARED })
  shared: boolean;

  @Timestamp({
    nullable: true,
    description: `When the server starts the experiment. Null if no start is scheduled, or the experiment is running or archived. Only roles that may start experiments can change it.`,
  })
  starts_at: string | null;

  @Timestamp({
    nullable: true,
    description: `When the server archives the experiment, even if it never started. Null if no end is scheduled or the experiment is archived.`,
  })
  ends_at: string | null;

  @Output({
    type: 'string',
    nullable: true,
    description:
      'Why the server could not make the last scheduled status change. Null if it succeeded; cleared when the experiment is started, archived or rescheduled.',
  })
  schedule_error: string | null;

  @Timestamp({ nullable: true, description: 'Time of the first start.' })
  started_at: string | null;

  @Timestamp({ nullable: true, description: 'Time when the experiment was paused; null unless paused.' })
  paused_at: string | null;

  @Output({
    type: 'string',
    nullable: true,
    description:
      'Why the server paused the experiment: the guardrail and the variation. Null unless a guardrail paused it.',
  })
  paused_reason: string | null;

  @Timestamp({ nullable: true, description: 'Time when the experiment was archived; null unless archived.' })
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
    hypothesis: 'A green button stands out more, so more visitors order.',
    example_url: 'https://shop.example.com/products/tea-pot',
    traffic_allocation: 100,
    exclusion_group_id: null,
    exclusion_share: 100,
    audiences_match_type: 'any',
    tags: ['checkout'],
    js: null,
    reset_js: null,
    css: null,
    variations: [VariationRecord.example],
    audiences: [{ id: 1, name: 'Mobile visitors' }],
    pages: [{ id: 2, name: 'Product pages' }],
    goals: [{ id: 3, name: 'Order placed', api_name: 'order-placed', type: 'custom' }],
    guardrails: [],
    guardrail_action: 'none',
    environments: [{ id: 1, name: 'Production' }],
    minimum_effect: null,
    planned_participants: null,
    planned_end: null,
    decision: null,
    shared: true,
    starts_at: '2026-05-04T08:00:00.000000Z',
    ends_at: null,
    schedule_error: null,
    started_at: null,
    paused_at: null,
    paused_reason: null,
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

/** The fields of an experiment that the query parameter `fields` selects. */
@ApiSchema({ description: 'The fields of an experiment that the query parameter `fields` selects.' })
export class PartialExperimentRecord extends PartialType(OmitType(ExperimentRecord, ['variations'])) {
  @ApiProperty({
    type: 'array',
    items: {
      anyOf: [{ $ref: getSchemaPath(VariationRecord) }, { $ref: getSchemaPath(LiteVariationRecord) }],
    },
    required: false,
    description: `${VARIATIONS} In lists with \`variations=lite\`, each variation has fewer fields.`,
  })
  variations?: (VariationRecord | LiteVariationRecord)[];

  // PartialType would make this field required, because its schema has its own list of required properties.
  @DecisionOutput({ required: false })
  override decision?: Decision | null;

  static readonly example: PartialExperimentRecord = {
    id: 1001,
    name: 'Green buy button',
    status: 'draft',
  };
}
