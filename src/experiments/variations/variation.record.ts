import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../../common/openapi/operation';
import { formatMicros } from '../../common/time/clock';
import { CodeField, FlagField, PercentField } from '../../common/validation/body-fields';
import { checkScript, checkStyle } from '../../common/validation/code';
import { Output } from '../../common/validation/fields';
import {
  ApiName,
  CreatedAt,
  Description,
  Id,
  Name,
  NameField,
  DescribingFields,
  UpdatedAt,
} from '../../common/validation/record-fields';
import { PREVIEW_PARAMETER } from './preview-parameter';
import type { Variation } from './variation.entity';

/** Maximum number of variations in an experiment. */
export const MAX_VARIATIONS = 100;

const SENT_SHARE =
  'Share of the participants in percent, with at most two decimal places. Variations with null share the rest equally. The shares may add up to at most 100. To start the experiment, they must add up to exactly 100.';

@ApiSchema({ description: 'Variation fields that can be changed. Absent fields stay unchanged.' })
export class UpdateVariation extends DescribingFields {
  @FlagField({ description: 'Replaces the current original.' })
  is_original?: boolean;

  @PercentField(0, 100, { description: SENT_SHARE, nullable: true })
  traffic_allocation?: number | null;

  @CodeField(checkScript, { description: 'Script of the variation.', nullable: true })
  js?: string | null;

  @CodeField(checkStyle, { description: 'Styles of the variation.', nullable: true })
  css?: string | null;

  static readonly example: object = { traffic_allocation: 25 };
}

@ApiSchema({ description: 'A new variation. Only the name is required.' })
export class CreateVariation extends UpdateVariation {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Green button', css: '.buy { background: green }' };
}

const SHARE = {
  type: 'number',
  minimum: 0,
  maximum: 100,
  nullable: true,
  description:
    "Share of the experiment's participants in percent, 0 to 100. Variations with null share the rest equally.",
} as const;

/** A variation in experiment lists with `variations=lite`. */
@ApiSchema({
  description: 'A variation in experiment lists with `variations=lite`, without code.',
})
export class LiteVariationRecord {
  @Id()
  id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({
    type: 'boolean',
    description: 'Whether this is the original. The other variations are compared with it.',
  })
  is_original: boolean;

  @Output(SHARE)
  traffic_allocation: number | null;
}

@ApiSchema({ description: 'One of the versions that an experiment shows to visitors.' })
export class VariationRecord {
  @Id()
  id: number;

  @Id('Id of the experiment.')
  experiment_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Description()
  description: string | null;

  @Output({
    type: 'boolean',
    description:
      'Whether this is the original. The other variations are compared with it. Exactly one variation is the original.',
  })
  is_original: boolean;

  @Output(SHARE)
  traffic_allocation: number | null;

  @Output({ type: 'string', nullable: true, description: 'Script of the variation.' })
  js: string | null;

  @Output({ type: 'string', nullable: true, description: 'Styles of the variation.' })
  css: string | null;

  @Output({
    type: 'string',
    nullable: true,
    description:
      'Link that shows the variation on the live page without counting visitors. Null without `example_url`, and for archived experiments.',
  })
  preview_url: string | null;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: VariationRecord = {
    id: 5002,
    experiment_id: 1001,
    name: 'Green button',
    api_name: 'green-button',
    description: null,
    is_original: false,
    traffic_allocation: null,
    js: null,
    css: '.buy { background: green }',
    preview_url: `https://shop.example.com/products/tea-pot?${PREVIEW_PARAMETER}=5002.kJ3vX0bM8rQe2TnY5wPz1A`,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toVariationRecord(row: Variation, previewUrl: string | null): VariationRecord {
  return {
    id: row.id,
    experiment_id: row.experiment_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    is_original: row.is_original,
    traffic_allocation: row.traffic_allocation,
    js: row.js,
    css: row.css,
    preview_url: previewUrl,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

type LiteColumns = keyof LiteVariationRecord | 'experiment_id';

export const LITE_COLUMNS: readonly LiteColumns[] = [
  'id',
  'experiment_id',
  'name',
  'api_name',
  'is_original',
  'traffic_allocation',
];

export function toLiteVariationRecord(row: Pick<Variation, LiteColumns>): LiteVariationRecord {
  return {
    id: row.id,
    name: row.name,
    api_name: row.api_name,
    is_original: row.is_original,
    traffic_allocation: row.traffic_allocation,
  };
}

/** A variation in the response to a dry run. */
@ApiSchema({ description: 'A variation in a dry run, without id and preview link.' })
export class DryRunVariationRecord extends OmitType(VariationRecord, ['id', 'experiment_id', 'preview_url']) {
  @Unstored()
  id: null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'Null if the experiment is also new in this dry run.',
  })
  experiment_id: number | null;

  @Unstored()
  preview_url: null;

  static readonly example: DryRunVariationRecord = toUnstoredVariation(VariationRecord.example);
}

export function toUnstoredVariation(record: VariationRecord): DryRunVariationRecord {
  return { ...record, id: null, preview_url: null };
}
