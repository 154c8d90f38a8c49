import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
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
import { CSS, EXAMPLE_URL, JS, MATCH_TYPE, RESET_JS, TAGS, TRAFFIC } from './experiment.record';

const NULLABLE = { nullable: true };

const codeSchema = (description: string) =>
  ({ type: 'string', description: `${description} Up to 256 KiB; must parse.` }) as const;

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
      { type: 'string', maxLength: 2048, description: `${EXAMPLE_URL} An absolute http(s) address.` },
      NULLABLE,
    ),
  );

const TrafficField = (): PropertyDecorator =>
  Field(percent(0, 100), {
    type: 'number',
    minimum: 0,
    maximum: 100,
    default: 100,
    description: `${TRAFFIC} Two decimals at most.`,
  });

const MatchTypeField = (): PropertyDecorator =>
  Field(oneOf(MATCH_TYPES), { type: 'string', enum: MATCH_TYPES, default: 'any', description: MATCH_TYPE });

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
        description: `${TAGS} Up to 50 different ones of 1 to 50 characters; null = none.`,
      },
      NULLABLE,
    ),
  );

const ATTACHED_OBJECT = {
  type: 'object' as const,
  properties: { id: { type: 'integer' as const, minimum: 1, description: 'Id of what is attached.' } },
  required: ['id'],
};

const AttachmentsField = (what: string): PropertyDecorator =>
  applyDecorators(
    EmptiedByNull(),
    Field(
      checkAttachmentList,
      {
        type: 'array',
        items: {
          anyOf: [{ type: 'integer', minimum: 1 }, ATTACHED_OBJECT],
        },
        description: `Ids of ${what} of the project, or objects with an id, as they are read; replaces what is attached. Up to 500.`,
      },
      NULLABLE,
    ),
  );

@ApiSchema({ description: 'The fields of an experiment that may be changed; absent ones stay as they are.' })
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

  @Field(code(checkScript), codeSchema(JS), NULLABLE)
  js?: string | null;

  @Field(code(checkScript), codeSchema(RESET_JS), NULLABLE)
  reset_js?: string | null;

  @Field(code(checkStyle), codeSchema(CSS), NULLABLE)
  css?: string | null;

  @AttachmentsField('audiences')
  audiences?: AttachmentEntry[];

  @AttachmentsField('pages')
  pages?: AttachmentEntry[];

  @AttachmentsField('goals')
  goals?: AttachmentEntry[];

  @AttachmentsField('environments')
  environments?: AttachmentEntry[];

  static readonly example: object = { traffic_allocation: 50, pages: [2], goals: [3] };
}

@ApiExtraModels(CreateVariation)
@ApiSchema({ description: 'A new experiment, a draft. Only the name is required.' })
export class CreateExperiment extends UpdateExperiment {
  @NameField({ required: true })
  declare name: string;

  @EmptiedByNull()
  @Field(
    bodies(CreateVariation, VariationRecord, MAX_VARIATIONS),
    {
      type: 'array',
      items: { $ref: getSchemaPath(CreateVariation) },
      maxItems: MAX_VARIATIONS,
      description: 'Variations to make with it, up to 100; the first is the original unless another says so.',
    },
    NULLABLE,
  )
  variations?: object[];

  static override readonly example = {
    name: 'Green buy button',
    variations: [{ name: 'Original' }, CreateVariation.example],
    pages: [2],
    goals: [3],
  };
}

@ApiSchema({ description: 'What is different in the copy.' })
export class CloneExperiment {
  @NameField()
  name?: string;

  static readonly example = { name: 'Green buy button, second try' };
}

@ApiSchema({ description: 'The status to move to.' })
export class ChangeStatus {
  @Field(
    oneOf(STATUSES),
    {
      type: 'string',
      enum: STATUSES,
      description: 'One of the five; the status that it has already changes nothing.',
    },
    { required: true },
  )
  status: (typeof STATUSES)[number];

  static readonly example = { status: 'running' };
}
