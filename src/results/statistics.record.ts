import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { Id, Name } from '../common/validation/record-fields';
import {
  Duration,
  METHODS,
  METRICS,
  Method,
  Metric,
  VERDICTS,
  VariationStatistics,
  Verdict,
  WARNINGS,
  Warning,
} from '../statistics/result';
import { ConversionFigures, ValueFigures, RatioFigures, PlannedFigures } from './comparison.record';
import { Count, NUMBER, OptionalNumber, OptionalPart, OptionalShare, Part, SHARE } from './figure-fields';

/* Reference for the statistics of one goal and variation. */

@ApiSchema({ description: 'Runtime of the comparison so far, and its estimated remaining runtime.' })
export class DurationFigures implements Duration {
  @Output({
    ...NUMBER,
    minimum: 0,
    description:
      'Days with the status `running`, without pauses, from `startDate` to `endDate`, on which this variation and the original both had a published share.',
  })
  daysRunning: number;

  @Output({
    ...NUMBER,
    minimum: 0,
    nullable: true,
    description:
      'Estimated days until `isConfident`, if traffic and effect stay the same: a noisy forecast based on the observed effect or, for a plan with the method `frequentist` or `bayesian`, the days until its end. Null if it cannot be estimated, if a condition was not met by `endDate`, if a plan ended without a verdict, if more participants or days are needed but the variation or the original has been stopped, or for filtered results with the method `planned`.',
  })
  daysLeft: number | null;

  @Output({
    type: 'boolean',
    description:
      "True if `daysRunning` has reached the project's `min_runtime_days` (those of the plan with the method `planned`).",
  })
  minRuntimeReached: boolean;

  @Output({
    type: 'boolean',
    description:
      "True if this variation and the original together have at least twice the project's `min_conversions` (those of the plan with the method `planned`).",
  })
  minConversionsReached: boolean;
}

@ApiExtraModels(ConversionFigures, ValueFigures, RatioFigures, PlannedFigures)
@ApiSchema({ description: 'Statistical tests and verdict of a variation.' })
export class DecisionFigures {
  @Output({
    type: 'string',
    enum: METRICS,
    description:
      'Metric of `confidence` and `uplift`: `count` for goals that count every conversion, `value` for other goals with values.',
  })
  metric: Metric;

  @Output({
    type: 'string',
    enum: METHODS,
    description:
      "The project's `statistics_method`; `sequential` instead of `planned` if the experiment has no plan.",
  })
  method: Method;

  @Output({ ...SHARE, description: "The project's `significance` as a fraction." })
  significance: number;

  @Part(ConversionFigures, 'Compares conversion rates.')
  conversion: ConversionFigures;

  @OptionalPart(ValueFigures, 'Comparison of values per participant; null for goals without values.')
  value: ValueFigures | null;

  @OptionalPart(
    ValueFigures,
    'Compares conversions per participant; null for goals that count each participant once.',
  )
  count: ValueFigures | null;

  @OptionalPart(
    RatioFigures,
    'Compares values per conversion; null for goals without values or without conversions.',
  )
  ratio: RatioFigures | null;

  @OptionalPart(
    PlannedFigures,
    'The group-sequential test; null for filtered results or if the method is not `planned`.',
  )
  planned: PlannedFigures | null;

  @OptionalNumber(
    'Minimum detectable effect (MDE): the relative effect that the method detects with a power of 80 % at the current sample size. Smaller effects are likely to stay inconclusive. With the method `planned`, null for filtered results and while no error can be spent yet.',
  )
  minimumDetectableEffect: number | null;

  @Output({
    type: 'string',
    enum: [...VERDICTS],
    description:
      'The verdict: inconclusive until `isConfident`, then according to the direction of the goal. While there is a sample ratio mismatch, it is untrustworthy and `isConfident` is false.',
  })
  verdict: Verdict;

  @Output({
    type: 'array',
    items: { type: 'string', enum: [...WARNINGS] },
    description:
      'Data quality warnings. `SAMPLE_RATIO_MISMATCH`: the participants do not match the shares, so none of the figures should be trusted. `TRAFFIC_DEPLETED`: the shares changed after a period with traffic below 100 %, in an experiment that started before release 0.2.0, so the sample ratio of the later phases cannot be tested. `CROSSOVERS`: more than 1 % of the participants were later shown another variation, so assignments are not persisted. Participants count in the first variation, which hides part of the effect.',
  })
  warnings: Warning[];
}

@ApiExtraModels(DurationFigures, DecisionFigures)
@ApiSchema({
  description:
    'Statistics of one goal and one variation. Rates are fractions, nothing is rounded, and undefined numbers are null.',
})
export class VariationFigures implements VariationStatistics {
  @Id('Id of the variation.')
  id: number;

  @Name()
  name: string;

  @Output({
    type: 'boolean',
    description: 'True for the original (control), the baseline for the other variations.',
  })
  isOriginal: boolean;

  @Count('Visitors whose first exposure was to this variation.')
  participants: number;

  @Count('Participants who converted at least once.')
  conversions: number;

  @Count('Conversion events, including repeated conversions of one participant.')
  totalConversions: number;

  @OptionalShare('Fraction of the participants who converted.')
  conversionRate: number | null;

  @OptionalNumber('Conversion events per participant.')
  conversionsPerParticipant: number | null;

  @Output({
    ...NUMBER,
    description: 'Sum of all values, without the value cap; computed exactly, then converted to a number.',
  })
  totalValue: number;

  @OptionalNumber(
    "Value per participant, in the goal's unit; with a value cap, computed from the capped totals.",
  )
  valuePerParticipant: number | null;

  @OptionalNumber('Value per conversion event; with a value cap, computed from the capped totals.')
  valuePerConversion: number | null;

  @OptionalNumber("Uplift of the goal's metric over the original: 0.07 is 7 % more. Null for the original.")
  uplift: number | null;

  @OptionalShare('1 - p of the test for a single look; null for the original.')
  confidence: number | null;

  @Output({
    type: 'boolean',
    description:
      "True if the experiment can be stopped: the result is significant, and the project's `min_conversions` and `min_runtime_days` are reached. With the method `sequential`, this holds under any number of looks.",
  })
  isConfident: boolean;

  @Part(DurationFigures, 'Runtime so far and estimated remaining runtime.')
  duration: DurationFigures;

  @Part(DecisionFigures, 'Statistical tests and verdict.')
  statistics: DecisionFigures;
}
