import { ApiSchema } from '@nestjs/swagger';
import { CodeField, FlagField, PercentField } from '../../common/validation/body-fields';
import { checkScript, checkStyle } from '../../common/validation/code';
import { ApiNameField, DescriptionField, NameField } from '../../common/validation/record-fields';

/** Maximum number of variations in an experiment. */
export const MAX_VARIATIONS = 100;

const SHARE =
  'Share of the participants in percent, with at most two decimals. Variations with null share the rest equally. The shares may add up to at most 100, and to start must add up to 100.';

@ApiSchema({ description: 'The fields of a variation that may be changed. Absent fields stay unchanged.' })
export class UpdateVariation {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @FlagField({ description: 'Makes this variation the original instead of the current one.' })
  is_original?: boolean;

  @PercentField(0, 100, { description: SHARE, nullable: true })
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
