import { ApiSchema } from '@nestjs/swagger';
import { code, flag, percent } from '../common/validation/checks';
import { checkScript, checkStyle } from '../common/validation/code';
import { Field } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';

/** How many an experiment can be made with. */
export const MAX_VARIATIONS = 100;

const NULLABLE = { nullable: true };
const LIMIT = 'Up to 256 KiB; must parse.';

const IsOriginalField = (): PropertyDecorator =>
  Field(flag, { type: 'boolean', description: 'Makes this the original, and no other.' });

const ShareField = (): PropertyDecorator =>
  Field(
    percent(0, 100),
    {
      type: 'number',
      minimum: 0,
      maximum: 100,
      description:
        'Percent of the participants, two decimals at most; null = an equal part of what the others leave. Together at most 100, and exactly 100 to start.',
    },
    NULLABLE,
  );

@ApiSchema({ description: 'The fields of a variation that may be changed; absent ones stay as they are.' })
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

  @Field(
    code(checkScript),
    { type: 'string', description: `Script that makes the variation. ${LIMIT}` },
    NULLABLE,
  )
  js?: string | null;

  @Field(code(checkStyle), { type: 'string', description: `Styles of the variation. ${LIMIT}` }, NULLABLE)
  css?: string | null;

  static readonly example: object = { traffic_allocation: 25 };
}

@ApiSchema({ description: 'A new variation. Only the name is required.' })
export class CreateVariation extends UpdateVariation {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Green button', css: '.buy { background: green }' };
}
