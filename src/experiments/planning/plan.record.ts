import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import type { Failure } from '../../common/errors/api-errors';
import {
  IdField,
  IntegerField,
  NumberField,
  OneOfField,
  PercentField,
} from '../../common/validation/body-fields';
import { entriesOf } from '../../common/validation/checks';
import { Field, FieldCheck, Output } from '../../common/validation/fields';
import { NOT_ZERO } from '../../common/validation/rules';
import { Project, STATISTICS_METHODS } from '../../projects/project.entity';
import { MAX_EFFECT } from '../experiment-descriptions';
import { MAX_VARIATIONS } from '../variations/variation.record';

const LARGEST = 1_000_000_000;

export const DEFAULT_SHARES: readonly number[] = [50, 50];
/** Default statistical power, in percent. */
export const DEFAULT_POWER = 80;

/** Two or more numbers above 0. The first one is the original's share. */
const shares: FieldCheck = (value, label) => {
  const entries = entriesOf(value, label, MAX_VARIATIONS);
  if (typeof entries === 'string') {
    return entries;
  }
  if (entries.length < 2) {
    return `The ${label} must have at least two entries: one for the original and one for each variation.`;
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
        'The smallest effect worth detecting: relative, in percent, negative for a decrease. Must not be 0; at most two decimal places.',
    },
    [NOT_ZERO],
  )
  minimum_effect: number;

  @IdField({
    nullable: true,
    description:
      'Goal whose results are the baseline: its metric among the participants of the original who entered in the last 28 days, including today.',
  })
  goal_id?: number | null;

  @IdField({
    nullable: true,
    description:
      'With `goal_id`: the experiment to read the baseline from. By default, the experiment with this goal that had the most participants in the last 28 days. If no experiment with this goal had participants, the one with the most participants in the project.',
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
    { nullable: true, description: 'Value per participant of the original; must not be 0.' },
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
    description:
      'Number of variations with equal shares, including the original. Send this instead of `shares`.',
  })
  variations?: number | null;

  @Field(shares, {
    type: 'array',
    items: { type: 'number', exclusiveMinimum: 0, maximum: LARGEST } as object,
    minItems: 2,
    maxItems: MAX_VARIATIONS,
    default: [...DEFAULT_SHARES],
    description: 'Shares of the variations in any unit; the first one is the original’s.',
  })
  shares?: number[];

  @NumberField(1, LARGEST, {
    nullable: true,
    description:
      'Participants per day, all variations together. With `goal_id`, defaults to the participants per day of the experiment that the baseline is read from, on the days when it ran. If the number is unknown, the response contains no days and no minimum detectable effects.',
  })
  daily_visitors?: number | null;

  @PercentField(50, 99.99, {
    default: DEFAULT_POWER,
    description: 'Statistical power: the probability of detecting the effect if it exists, in percent.',
  })
  power?: number;

  @PercentField(50, 99.99, { description: "In percent. Defaults to the project's `significance`." })
  significance?: number;

  @OneOfField(STATISTICS_METHODS, { description: "Defaults to the project's `statistics_method`." })
  method?: Project['statistics_method'];

  static readonly example = { minimum_effect: 10, baseline_rate: 4, daily_visitors: 2_500 };
}

const NUMBER = { type: 'number' } as const;
const OPTIONAL = { type: 'number', nullable: true } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;

@ApiSchema({ description: 'The minimum detectable effect after a number of days.' })
class DetectableEffect {
  @Output({ ...COUNT, description: 'Days since the start.' })
  day: number;

  @Output({
    ...OPTIONAL,
    description:
      'Relative, in percent, in the direction of `minimum_effect`. Null if no effect is large enough, or before `min_runtime_days`.',
  })
  effect: number | null;
}

@ApiSchema({ description: 'The values measured before any change.' })
export class BaselineRecord {
  @Output({ ...OPTIONAL, description: 'Conversion rate in percent; null if the baseline is a mean value.' })
  conversion_rate: number | null;

  @Output({ ...OPTIONAL, description: 'Value per participant; null if the baseline is a conversion rate.' })
  mean: number | null;

  @Output({ ...OPTIONAL, description: 'Standard deviation of the value per participant.' })
  standard_deviation: number | null;

  @Output({
    ...COUNT,
    nullable: true,
    description: 'The experiment that the baseline was read from; null if the request gives the baseline.',
  })
  experiment_id: number | null;

  @Output({
    ...COUNT,
    nullable: true,
    description:
      'Number of participants that the baseline is based on; null if the request gives the baseline.',
  })
  participants: number | null;
}

@ApiExtraModels(DetectableEffect, BaselineRecord)
@ApiSchema({
  description: 'The number of participants and days that an experiment needs. Nothing is stored.',
})
export class PlanRecord {
  @Output({
    ...COUNT,
    description: "Participants of all variations together, as for an experiment's `planned_participants`.",
  })
  participants: number;

  @Output({
    type: 'array',
    items: COUNT,
    description: 'Participants of each variation, in the order of the shares.',
  })
  per_variation: number[];

  @Output({
    ...COUNT,
    nullable: true,
    description:
      "Runtime in full days, at least the project's `min_runtime_days`. The earliest `planned_end` is this number of days after the start day. Null without `daily_visitors`.",
  })
  days: number | null;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(DetectableEffect) },
    description:
      'The smallest effect that the experiment detects with this power after 7, 14, 21 and 28 days. Empty without `daily_visitors`.',
  })
  minimum_detectable_effect: DetectableEffect[];

  @Output({
    allOf: [{ $ref: getSchemaPath(BaselineRecord) }],
    description: 'The baseline, as given in the request or read from results.',
  })
  baseline: BaselineRecord;

  @Output({
    ...OPTIONAL,
    description:
      'Participants per day, all variations together, as given in the request or read from results.',
  })
  daily_visitors: number | null;

  @Output({ ...NUMBER, description: 'Relative, in percent.' })
  minimum_effect: number;

  @Output({ type: 'array', items: NUMBER, description: 'Shares of the variations, the original first.' })
  shares: number[];

  @Output({ ...NUMBER, description: 'In percent.' })
  power: number;

  @Output({ ...NUMBER, description: 'In percent.' })
  significance: number;

  @Output({
    type: 'string',
    enum: STATISTICS_METHODS,
    description: 'The statistical method that the sample size is for.',
  })
  method: Project['statistics_method'];

  static readonly example: PlanRecord = {
    participants: 133_924,
    per_variation: [66_962, 66_962],
    days: 54,
    minimum_detectable_effect: [
      { day: 7, effect: 30.7388522690025 },
      { day: 14, effect: 20.4642134036323 },
      { day: 21, effect: 16.4193736580144 },
      { day: 28, effect: 14.0785763882719 },
    ],
    baseline: {
      conversion_rate: 4,
      mean: null,
      standard_deviation: null,
      experiment_id: null,
      participants: null,
    },
    daily_visitors: 2_500,
    minimum_effect: 10,
    shares: [50, 50],
    power: 80,
    significance: 95,
    method: 'sequential',
  };
}
