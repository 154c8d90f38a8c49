import { code, flag, percent } from '../common/validation/checks';
import { checkScript, checkStyle } from '../common/validation/code';
import { Field } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';

/** How many an experiment can be made with. */
export const MAX_VARIATIONS = 100;

const NULLABLE = { nullable: true };
const CODE = { type: 'string', description: 'Up to 256 KiB; must parse.' } as const;

const IsOriginalField = (): PropertyDecorator =>
  Field(flag, { type: 'boolean', description: 'Makes this the original, and no other.' });

const ShareField = (): PropertyDecorator =>
  Field(
    percent(0, 100),
    {
      type: 'number',
      minimum: 0,
      maximum: 100,
      description: 'Percent; null = an equal part of what the others leave.',
    },
    NULLABLE,
  );

export class UpdateVariation {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @IsOriginalField()
  is_original?: boolean;

  @ShareField()
  traffic_allocation?: number | null;

  @Field(code(checkScript), CODE, NULLABLE)
  js?: string | null;

  @Field(code(checkStyle), CODE, NULLABLE)
  css?: string | null;

  static readonly example: object = { traffic_allocation: 25 };
}

export class CreateVariation extends UpdateVariation {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Green button', css: '.buy { background: green }' };
}
