import { ApiSchema } from '@nestjs/swagger';
import { integer, percent } from '../common/validation/checks';
import { Field, FieldCheck } from '../common/validation/fields';
import { DescriptionField, NameField } from '../common/validation/record-fields';
import { MIN_CONVERSIONS, MIN_RUNTIME_DAYS, SIGNIFICANCE } from './project.record';

const significance: FieldCheck = (value, label) =>
  typeof value === 'number' && value > 0 && value < 1
    ? `The ${label} is a percent between 50 and 99.99: send ${Number((value * 100).toFixed(2))}, not ${value}.`
    : percent(50, 99.99)(value, label);

@ApiSchema({ description: 'The settings of a project that may be changed; absent ones stay as they are.' })
export class UpdateProject {
  @NameField()
  name?: string;

  @DescriptionField()
  description?: string | null;

  @Field(significance, {
    type: 'number',
    minimum: 50,
    maximum: 99.99,
    description: `${SIGNIFICANCE} Two decimals at most; a fraction such as 0.95 is refused.`,
  })
  significance?: number;

  @Field(integer(0, 1_000_000), {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000,
    description: MIN_CONVERSIONS,
  })
  min_conversions?: number;

  @Field(integer(0, 365), { type: 'integer', minimum: 0, maximum: 365, description: MIN_RUNTIME_DAYS })
  min_runtime_days?: number;

  static readonly example = { significance: 97.5, min_runtime_days: 14 };
}
