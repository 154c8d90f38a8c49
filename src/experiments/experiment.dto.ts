import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { code, httpAddress, listOf, oneOf, percent, text } from '../common/validation/checks';
import { checkScript, checkStyle } from '../common/validation/code';
import { EmptiedByNull, Field, FieldCheck, Trimmed } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';
import { bodies } from '../common/validation/submission';
import { CreateVariation, MAX_VARIATIONS } from '../variations/variation.dto';
import { VariationRecord } from '../variations/variation.record';
import { AttachmentEntry, checkAttachmentList } from './attachment-list';
import { Experiment, MATCH_TYPES } from './experiment.entity';
import { STATUSES } from './experiment-status';

const NULLABLE = { nullable: true };
const CODE = { type: 'string', description: 'Up to 256 KiB; must parse.' } as const;
const MAX_TAGS = 50;

const tag: FieldCheck = (value, label) => {
  const problem = text(50, 1)(value, label);
  return problem === null && /[\n\r]/.test(value as string)
    ? `The ${label} may not contain line breaks.`
    : problem;
};

const ExampleUrlField = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    Field(
      httpAddress,
      { type: 'string', maxLength: 2048, description: 'Absolute http(s) address.' },
      NULLABLE,
    ),
  );

const TrafficField = (): PropertyDecorator =>
  Field(percent(0, 100), { type: 'number', minimum: 0, maximum: 100, default: 100, description: 'Percent.' });

const MatchTypeField = (): PropertyDecorator =>
  Field(oneOf(MATCH_TYPES), { type: 'string', enum: MATCH_TYPES, default: 'any' });

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
      },
      NULLABLE,
    ),
  );

const AttachmentsField = (what: string): PropertyDecorator =>
  applyDecorators(
    EmptiedByNull(),
    Field(
      checkAttachmentList,
      {
        type: 'array',
        items: {
          anyOf: [
            { type: 'integer' },
            { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
          ],
        },
        description: `Ids of ${what} of the project, or objects with an id; replaces what is attached.`,
      },
      NULLABLE,
    ),
  );

export class UpdateExperiment {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @ExampleUrlField()
  example_url?: string | null;

  @TrafficField()
  traffic_allocation?: number;

  @MatchTypeField()
  audiences_match_type?: Experiment['audiences_match_type'];

  @TagsField()
  tags?: string[];

  @Field(code(checkScript), CODE, NULLABLE)
  js?: string | null;

  @Field(code(checkScript), CODE, NULLABLE)
  reset_js?: string | null;

  @Field(code(checkStyle), CODE, NULLABLE)
  css?: string | null;

  @AttachmentsField('audiences')
  audiences?: AttachmentEntry[];

  @AttachmentsField('pages')
  pages?: AttachmentEntry[];

  @AttachmentsField('goals')
  goals?: AttachmentEntry[];

  @AttachmentsField('environments')
  environments?: AttachmentEntry[];

  static readonly example: object = { traffic_allocation: 50, pages: [3], goals: [11] };
}

@ApiExtraModels(CreateVariation)
export class CreateExperiment extends UpdateExperiment {
  @NameField({ required: true })
  declare name: string;

  @EmptiedByNull()
  @Field(
    bodies(CreateVariation, VariationRecord, MAX_VARIATIONS),
    { type: 'array', items: { $ref: getSchemaPath(CreateVariation) }, maxItems: MAX_VARIATIONS },
    NULLABLE,
  )
  variations?: object[];

  static override readonly example = {
    name: 'Buy button',
    variations: [{ name: 'Original' }, CreateVariation.example],
    pages: [3],
    goals: [11],
  };
}

export class CloneExperiment {
  @NameField()
  name?: string;

  static readonly example = { name: 'Buy button, second try' };
}

export class ChangeStatus {
  @Field(oneOf(STATUSES), { type: 'string', enum: STATUSES }, { required: true })
  status: (typeof STATUSES)[number];

  static readonly example = { status: 'running' };
}
