import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  CodeField,
  DayField,
  FlagField,
  HttpAddressField,
  IdField,
  IntegerField,
  MomentField,
  OneOfField,
  PercentField,
  TextField,
} from '../common/validation/body-fields';
import { listOf, text } from '../common/validation/checks';
import { checkScript, checkStyle } from '../common/validation/code';
import { EmptiedByNull, Field, FieldCheck } from '../common/validation/fields';
import { MAX_DESCRIPTION, NameField, DescribingFields } from '../common/validation/record-fields';
import { NOT_ZERO } from '../common/validation/rules';
import { bodies } from '../common/validation/submission';
import { CreateVariation, MAX_VARIATIONS, VariationRecord } from './variations/variation.record';
import { AttachmentEntry, checkAttachmentList } from './attachment-list';
import { DecisionField, SentDecision } from './decision';
import { Experiment, GUARDRAIL_ACTIONS, MATCH_TYPES } from './experiment.entity';
import { STATUSES } from './experiment-status';
import {
  CSS,
  ENDS_AT,
  EXAMPLE_URL,
  EXCLUSION_GROUP,
  EXCLUSION_SHARE,
  GUARDRAIL_ACTION,
  HYPOTHESIS,
  JS,
  MATCH_TYPE,
  MAX_EFFECT,
  MAX_PLANNED,
  MIN_EXCLUSION_SHARE,
  MINIMUM_EFFECT,
  PLANNED_END,
  PLANNED_PARTICIPANTS,
  RESET_JS,
  SHARED,
  STARTS_AT,
  TAGS,
  TRAFFIC,
} from './experiment-descriptions';

const NULLABLE = { nullable: true };

const MAX_TAGS = 50;

const SCHEDULED =
  'Must be in the future. UTC unless the value has an offset; a date alone means 00:00 UTC. Requires a role that can start experiments.';

const GUARDED = 'Changing it while the experiment is running requires a role that can pause experiments.';

const tag: FieldCheck = (value, label) => {
  const problem = text(50, 1)(value, label);
  return problem === null && /[\n\r]/.test(value as string)
    ? `The ${label} may not contain line breaks.`
    : problem;
};

const TagsField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((entry: unknown) => (typeof entry === 'string' ? entry.trim() : entry))
        : value,
    ),
    EmptiedByNull(),
    Field(
      listOf(tag, 'tag', MAX_TAGS, (entry) => entry),
      {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 50 },
        maxItems: MAX_TAGS,
        description: `${TAGS} Up to 50 different tags of 1 to 50 characters. Null removes all tags.`,
      },
      NULLABLE,
    ),
  );

const ATTACHED_OBJECT = {
  type: 'object' as const,
  properties: { id: { type: 'integer' as const, minimum: 1, description: 'Id of the attached record.' } },
  required: ['id'],
};

const AttachmentsField = (what: string, note = ''): PropertyDecorator =>
  applyDecorators(
    EmptiedByNull(),
    Field(
      checkAttachmentList,
      {
        type: 'array',
        items: {
          anyOf: [{ type: 'integer', minimum: 1 }, ATTACHED_OBJECT],
        },
        description: `Ids of ${what} of the project, or objects as in the response, of which only the id is used. Replaces the current list. Up to 500.${note}`,
      },
      NULLABLE,
    ),
  );

/** The fields that requests can set on new and existing experiments. */
class ExperimentDefinition extends DescribingFields {
  @TextField(MAX_DESCRIPTION, { description: HYPOTHESIS, nullable: true })
  hypothesis?: string | null;

  @HttpAddressField({ description: `${EXAMPLE_URL} An absolute http(s) URL.`, nullable: true })
  example_url?: string | null;

  @PercentField(0, 100, { default: 100, description: `${TRAFFIC} At most two decimal places.` })
  traffic_allocation?: number;

  @IdField({ description: EXCLUSION_GROUP, nullable: true })
  exclusion_group_id?: number | null;

  @PercentField(MIN_EXCLUSION_SHARE, 100, { default: 100, description: EXCLUSION_SHARE })
  exclusion_share?: number;

  @OneOfField(MATCH_TYPES, { default: 'any', description: MATCH_TYPE })
  audiences_match_type?: Experiment['audiences_match_type'];

  @TagsField()
  tags?: string[];

  @CodeField(checkScript, { description: JS, nullable: true })
  js?: string | null;

  @CodeField(checkScript, { description: RESET_JS, nullable: true })
  reset_js?: string | null;

  @CodeField(checkStyle, { description: CSS, nullable: true })
  css?: string | null;

  @AttachmentsField('audiences')
  audiences?: AttachmentEntry[];

  @AttachmentsField('pages')
  pages?: AttachmentEntry[];

  @AttachmentsField('goals')
  goals?: AttachmentEntry[];

  @AttachmentsField('goals', ` ${GUARDED}`)
  guardrails?: AttachmentEntry[];

  @OneOfField(GUARDRAIL_ACTIONS, { default: 'none', description: `${GUARDRAIL_ACTION} ${GUARDED}` })
  guardrail_action?: Experiment['guardrail_action'];

  @AttachmentsField('environments')
  environments?: AttachmentEntry[];

  @PercentField(-100, MAX_EFFECT, { description: `${MINIMUM_EFFECT} Not 0.`, nullable: true }, [NOT_ZERO])
  minimum_effect?: number | null;

  @IntegerField(2, MAX_PLANNED, { description: PLANNED_PARTICIPANTS, nullable: true })
  planned_participants?: number | null;

  @DayField({ description: PLANNED_END, nullable: true })
  planned_end?: string | null;

  @FlagField({ description: `${SHARED} The default is the project setting \`share_by_default\`.` })
  shared?: boolean;

  @MomentField({ description: `${STARTS_AT} ${SCHEDULED}`, nullable: true })
  starts_at?: string | null;

  @MomentField({ description: `${ENDS_AT} ${SCHEDULED}`, nullable: true })
  ends_at?: string | null;
}

@ApiSchema({ description: 'Experiment fields that can be changed. Absent fields stay unchanged.' })
export class UpdateExperiment extends ExperimentDefinition {
  @DecisionField()
  decision?: SentDecision | null;

  static readonly example: object = { traffic_allocation: 50, pages: [2], goals: [3] };
}

@ApiExtraModels(CreateVariation)
@ApiSchema({ description: 'A new experiment, which starts as a draft. Only the name is required.' })
export class CreateExperiment extends ExperimentDefinition {
  @NameField({ required: true })
  declare name: string;

  @EmptiedByNull()
  @Field(
    bodies(CreateVariation, VariationRecord, MAX_VARIATIONS),
    {
      type: 'array',
      items: { $ref: getSchemaPath(CreateVariation) },
      maxItems: MAX_VARIATIONS,
      description:
        'Variations to create with the experiment, up to 100. The first one is the original unless another has `is_original`.',
    },
    NULLABLE,
  )
  variations?: object[];

  static readonly example = {
    name: 'Green buy button',
    variations: [{ name: 'Original' }, CreateVariation.example],
    pages: [2],
    goals: [3],
  };
}

@ApiSchema({ description: 'Fields of the clone that should differ from the original.' })
export class CloneExperiment {
  @NameField()
  name?: string;

  static readonly example = { name: 'Green buy button, second try' };
}

/** The empty body of a request that rotates the share link. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class RotateShare {
  static readonly example = {};
}

/** The empty body of a request that rotates the preview links. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class RotatePreviews {
  static readonly example = {};
}

@ApiSchema({ description: 'The new status.' })
export class ChangeStatus {
  @OneOfField(STATUSES, {
    required: true,
    description: 'The new status. Sending the current status is accepted and has no effect.',
  })
  status: (typeof STATUSES)[number];

  static readonly example = { status: 'running' };
}
