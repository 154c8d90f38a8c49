import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../../common/validation/fields';
import { Project, STATISTICS_METHODS } from '../../projects/project.entity';

const NUMBER = { type: 'number' } as const;
const OPTIONAL = { type: 'number', nullable: true } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;

@ApiSchema({ description: 'The minimum detectable effect after a number of days.' })
export class DetectableEffect {
  @Output({ ...COUNT, description: 'Days since the start.' })
  day: number;

  @Output({
    ...OPTIONAL,
    description:
      'Relative, in percent, in the direction of `minimum_effect`. Null if no effect is large enough.',
  })
  effect: number | null;
}

@ApiSchema({ description: 'The measured values before any change.' })
export class BaselineRecord {
  @Output({ ...OPTIONAL, description: 'Conversion rate in percent; null if values are measured.' })
  conversion_rate: number | null;

  @Output({ ...OPTIONAL, description: 'Value per participant; null if conversions are measured.' })
  mean: number | null;

  @Output({ ...OPTIONAL, description: 'Standard deviation of the value per participant.' })
  standard_deviation: number | null;

  @Output({
    ...COUNT,
    nullable: true,
    description: 'The experiment that the baseline was read from; null if it was given.',
  })
  experiment_id: number | null;

  @Output({
    ...COUNT,
    nullable: true,
    description: 'The participants that the baseline was read from; null if it was given.',
  })
  participants: number | null;
}

@ApiExtraModels(DetectableEffect, BaselineRecord)
@ApiSchema({ description: 'How many participants and days an experiment needs. Nothing is stored.' })
export class PlanRecord {
  @Output({
    ...COUNT,
    description: 'Participants of all variations together, as `planned_participants` of an experiment.',
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
    description: "Runtime in days, at least the project's `min_runtime_days`. Null without `daily_visitors`.",
  })
  days: number | null;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(DetectableEffect) },
    description:
      'The smallest effect that is detected with this power after 7, 14, 21 and 28 days. Empty without `daily_visitors`.',
  })
  minimum_detectable_effect: DetectableEffect[];

  @Output({
    allOf: [{ $ref: getSchemaPath(BaselineRecord) }],
    description: 'The baseline, as it was given or read.',
  })
  baseline: BaselineRecord;

  @Output({ ...OPTIONAL, description: 'Participants of all variations a day, as given or read.' })
  daily_visitors: number | null;

  @Output({ ...NUMBER, description: 'Relative, in percent.' })
  minimum_effect: number;

  @Output({ type: 'array', items: NUMBER, description: 'Shares of the variations, the original first.' })
  shares: number[];

  @Output({ ...NUMBER, description: 'In percent.' })
  power: number;

  @Output({ ...NUMBER, description: 'In percent.' })
  significance: number;

  @Output({ type: 'string', enum: STATISTICS_METHODS, description: 'The method that the size is for.' })
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
