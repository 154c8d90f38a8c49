import { ApiSchema } from '@nestjs/swagger';
import type { Failure } from '../../common/errors/api-errors';
import {
  IdField,
  IntegerField,
  NumberField,
  OneOfField,
  PercentField,
} from '../../common/validation/body-fields';
import { entriesOf } from '../../common/validation/checks';
import { Field, FieldCheck } from '../../common/validation/fields';
import { NOT_ZERO } from '../../common/validation/rules';
import { MAX_EFFECT } from '../experiment-descriptions';
import { Project, STATISTICS_METHODS } from '../../projects/project.entity';
import { MAX_VARIATIONS } from '../variations/variation.dto';

const LARGEST = 1_000_000_000;

export const DEFAULT_SHARES: readonly number[] = [50, 50];
/** Percent. */
export const DEFAULT_POWER = 80;

/** Two or more numbers above 0, the first of which is the original's. */
const shares: FieldCheck = (value, label) => {
  const entries = entriesOf(value, label, MAX_VARIATIONS);
  if (typeof entries === 'string') {
    return entries;
  }
  if (entries.length < 2) {
    return `The ${label} must be at least two: that of the original and of a variation.`;
  }
  const failures = entries.flatMap((entry, index): Failure[] =>
    typeof entry === 'number' && entry > 0 && entry <= LARGEST
      ? []
      : [{ path: String(index), message: 'A share must be a number above 0.' }],
  );
  return failures.length > 0 ? failures : null;
};

@ApiSchema({
  description:
    'The effect that an experiment should detect. The baseline is either `goal_id`, or `baseline_rate`, or `baseline_mean` and `baseline_sd`.',
})
export class PlanExperiment {
  @PercentField(
    -100,
    MAX_EFFECT,
    {
      required: true,
      description:
        'The smallest effect worth detecting: relative, in percent, negative for a decrease. Not 0, two decimals at most.',
    },
    [NOT_ZERO],
  )
  minimum_effect: number;

  @IdField({
    nullable: true,
    description:
      'Goal whose results are the baseline: its metric among the participants of the original who entered in the last 28 days, today included.',
  })
  goal_id?: number | null;

  @IdField({
    nullable: true,
    description:
      'With `goal_id`: the experiment to read the baseline from. By default the one with the most participants in the last 28 days.',
  })
  experiment_id?: number | null;

  @NumberField(0.0001, 99.9999, {
    nullable: true,
    description: 'Conversion rate of the original in percent.',
  })
  baseline_rate?: number | null;

  @NumberField(
    -LARGEST,
    LARGEST,
    { nullable: true, description: 'Value per participant of the original; not 0.' },
    [NOT_ZERO],
  )
  baseline_mean?: number | null;

  @NumberField(0.0001, LARGEST, {
    nullable: true,
    description: 'With `baseline_mean`: standard deviation of the value per participant.',
  })
  baseline_sd?: number | null;

  @IntegerField(2, MAX_VARIATIONS, {
    nullable: true,
    description: 'Number of variations with equal shares, the original included. Instead of `shares`.',
  })
  variations?: number | null;

  @Field(shares, {
    type: 'array',
    items: { type: 'number', exclusiveMinimum: 0, maximum: LARGEST } as object,
    minItems: 2,
    maxItems: MAX_VARIATIONS,
    default: [...DEFAULT_SHARES],
    description: 'Shares of the variations in any unit; the first one is that of the original.',
  })
  shares?: number[];

  @NumberField(1, LARGEST, {
    nullable: true,
    description:
      'Participants of all variations a day. With `goal_id`, by default those of the experiment that the baseline is read from, on the days on which it ran. Without them the response has no days and no minimum detectable effects.',
  })
  daily_visitors?: number | null;

  @PercentField(50, 99.99, {
    default: DEFAULT_POWER,
    description: 'Chance to detect the effect if it exists, in percent.',
  })
  power?: number;

  @PercentField(50, 99.99, { description: "Percent. By default the project's `significance`." })
  significance?: number;

  @OneOfField(STATISTICS_METHODS, { description: "By default the project's `statistics_method`." })
  method?: Project['statistics_method'];

  static readonly example = { minimum_effect: 10, baseline_rate: 4, daily_visitors: 2_500 };
}
