import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { Id, Name } from '../common/validation/record-fields';
import {
  ConversionStatistics,
  Duration,
  Interval,
  Method,
  METHODS,
  Metric,
  SequentialStatistics,
  ValueStatistics,
  VariationStatistics,
  Verdict,
  Warning,
  WARNINGS,
} from '../statistics/result';

/* What the reference says about the figures of one goal and variation. */

const COUNT = { type: 'integer', minimum: 0 } as const;
const NUMBER = { type: 'number' } as const;
const SHARE = { type: 'number', minimum: 0, maximum: 1 } as const;
const INTERVAL = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } as const;

const Count = (description: string): PropertyDecorator => Output({ ...COUNT, description });

const OptionalNumber = (description: string): PropertyDecorator =>
  Output({ ...NUMBER, nullable: true, description });

const OptionalShare = (description: string): PropertyDecorator =>
  Output({ ...SHARE, nullable: true, description });

const OptionalInterval = (description: string): PropertyDecorator =>
  Output({ ...INTERVAL, nullable: true, description });

const OptionalChoice = (values: readonly string[], description: string): PropertyDecorator =>
  Output({ oneOf: [{ type: 'string', enum: [...values] }, { type: 'null' }], description });

const OptionalPart = (type: new () => object, description: string): PropertyDecorator =>
  Output({ oneOf: [{ $ref: getSchemaPath(type) }, { type: 'null' }], description });

const Part = (type: new () => object, description: string): PropertyDecorator =>
  Output({ allOf: [{ $ref: getSchemaPath(type) }], description });

/** Valid at any time and under any number of looks. */
@ApiSchema({ description: 'Valid at any time and under any number of looks.' })
export class SequentialFigures implements SequentialStatistics {
  @Output({ ...INTERVAL, description: 'Of the difference.' })
  interval: Interval;

  @Output({ ...SHARE, description: 'Stays valid however often it is looked at.' })
  pValue: number;

  @Output({ ...NUMBER, description: 'Participants of both variations at which the interval is tightest.' })
  tuning: number;
}

@ApiSchema({ description: 'The conversion rates as probabilities: Beta distributions.' })
export class BayesianConversionFigures {
  @Output({ ...INTERVAL, description: 'Parameters of the Beta prior of each rate.' })
  prior: [number, number];

  @OptionalShare('Probability that the variation is better than the original.')
  chanceToBeatOriginal: number | null;

  @OptionalShare('Probability that the variation is the best of all, the original included.')
  chanceToBeBest: number | null;

  @OptionalNumber('What choosing the variation costs on average if it is worse, as a conversion rate.')
  expectedLoss: number | null;

  @OptionalInterval('Credible interval of the difference.')
  differenceInterval: Interval | null;

  @OptionalInterval('Credible interval of the uplift.')
  upliftInterval: Interval | null;
}

@ApiExtraModels(SequentialFigures, BayesianConversionFigures)
@ApiSchema({ description: 'Compares the conversion rate of a variation with that of the original.' })
export class ConversionFigures implements ConversionStatistics {
  @OptionalNumber('Conversion rate of the variation minus that of the original.')
  difference: number | null;

  @OptionalNumber('Standard error of the difference.')
  standardError: number | null;

  @OptionalInterval('Confidence interval of the difference, for a single look.')
  interval: Interval | null;

  @OptionalChoice(['wald', 'newcombe'], 'How the interval was made: `newcombe` when counts are small.')
  intervalMethod: 'wald' | 'newcombe' | null;

  @OptionalNumber('The difference relative to the original.')
  uplift: number | null;

  @OptionalNumber('Standard error of the uplift, by the delta method.')
  upliftStandardError: number | null;

  @OptionalInterval('Confidence interval of the uplift, for a single look.')
  upliftInterval: Interval | null;

  @OptionalShare('How unlikely such a difference is if nothing changed, for a single look.')
  pValue: number | null;

  @OptionalShare('Adjusted for several goals and variations, where the project corrects for them.')
  pValueAdjusted: number | null;

  @OptionalChoice(['z-pooled', 'fisher'], 'Which test gave the p-value: `fisher` when counts are small.')
  test: 'z-pooled' | 'fisher' | null;

  @OptionalPart(SequentialFigures, 'May be looked at every day.')
  sequential: SequentialFigures | null;

  @OptionalPart(BayesianConversionFigures, 'How probable it is that this variation is better.')
  bayesian: BayesianConversionFigures | null;
}

@ApiSchema({ description: 'The values per participant as probabilities: normal distributions.' })
export class BayesianValueFigures {
  @OptionalShare('Probability that the variation is better than the original.')
  chanceToBeatOriginal: number | null;

  @OptionalNumber("What choosing the variation costs on average if it is worse, in the goal's unit.")
  expectedLoss: number | null;

  @OptionalInterval('Credible interval of the difference.')
  interval: Interval | null;
}

@ApiExtraModels(SequentialFigures, BayesianValueFigures)
@ApiSchema({ description: 'Compares the value per participant of a variation with that of the original.' })
export class ValueFigures implements ValueStatistics {
  @OptionalNumber('Value per participant of the variation minus that of the original.')
  difference: number | null;

  @OptionalNumber('Standard error of the difference.')
  standardError: number | null;

  @OptionalNumber("Degrees of freedom of Welch's test.")
  degreesOfFreedom: number | null;

  @OptionalNumber('The test statistic: difference by standard error.')
  t: number | null;

  @OptionalInterval('Confidence interval of the difference, for a single look.')
  interval: Interval | null;

  @OptionalNumber('The difference relative to the original.')
  uplift: number | null;

  @OptionalNumber('Standard error of the uplift, by the delta method.')
  upliftStandardError: number | null;

  @OptionalInterval('Confidence interval of the uplift, for a single look.')
  upliftInterval: Interval | null;

  @OptionalShare('How unlikely such a difference is if nothing changed, for a single look.')
  pValue: number | null;

  @OptionalShare('Adjusted for several goals and variations, where the project corrects for them.')
  pValueAdjusted: number | null;

  @OptionalChoice(['welch'], "Which test gave the p-value: Welch's t test.")
  test: 'welch' | null;

  @OptionalPart(SequentialFigures, 'May be looked at every day.')
  sequential: SequentialFigures | null;

  @OptionalPart(BayesianValueFigures, 'How probable it is that this variation is better.')
  bayesian: BayesianValueFigures | null;
}

@ApiSchema({ description: 'How long the experiment has been running, and for how long it should.' })
export class DurationFigures implements Duration {
  @Output({
    ...NUMBER,
    minimum: 0,
    description: 'Days in the status running, pauses excluded; of them those from `startDate` to `endDate`.',
  })
  daysRunning: number;

  @Output({
    ...NUMBER,
    minimum: 0,
    nullable: true,
    description:
      'Days until all of `isConfident` may be reached, if traffic and effect stay what they were: a noisy forecast from the observed effect, not a promise. Null when it cannot be estimated, and when something is missing after `endDate`.',
  })
  daysLeft: number | null;

  @Output({ type: 'boolean', description: "Has it run for the project's `min_runtime_days`?" })
  minRuntimeReached: boolean;

  @Output({
    type: 'boolean',
    description: "Do this variation and the original both have the project's `min_conversions`?",
  })
  minConversionsReached: boolean;
}

@ApiExtraModels(ConversionFigures, ValueFigures)
@ApiSchema({ description: 'How the figures of a variation came about, and what follows from them.' })
export class DecisionFigures {
  @Output({
    type: 'string',
    enum: ['conversion', 'value'],
    description: 'Which part feeds `confidence` and `uplift`: `value` for goals that have values.',
  })
  metric: Metric;

  @Output({ type: 'string', enum: METHODS, description: "The project's `statistics_method`." })
  method: Method;

  @Output({ ...SHARE, description: "The project's `significance` as a fraction." })
  significance: number;

  @Part(ConversionFigures, 'Compares conversion rates.')
  conversion: ConversionFigures;

  @OptionalPart(ValueFigures, 'Compares values per participant; null for goals without values.')
  value: ValueFigures | null;

  @Output({
    type: 'string',
    enum: ['winner', 'loser', 'inconclusive'],
    description: 'Inconclusive until `isConfident`; then by the direction of the goal.',
  })
  verdict: Verdict;

  @Output({
    type: 'array',
    items: { type: 'string', enum: [...WARNINGS] },
    description:
      'What to know before trusting the figures. `SAMPLE_RATIO_MISMATCH`: the participants do not divide as the shares say, so something is broken and none of the figures should be trusted.',
  })
  warnings: Warning[];
}

@ApiExtraModels(DurationFigures, DecisionFigures)
@ApiSchema({
  description:
    'The figures of one goal and one variation. Rates are fractions, nothing is rounded, and what is undefined is null.',
})
export class VariationFigures implements VariationStatistics {
  @Id('Id of the variation.')
  id: number;

  @Name()
  name: string;

  @Output({ type: 'boolean', description: 'What the others are compared with.' })
  isOriginal: boolean;

  @Count('Visitors who saw this variation first.')
  participants: number;

  @Count('Participants who converted at least once.')
  conversions: number;

  @Count('Conversion events, also repeated ones of one participant.')
  totalConversions: number;

  @OptionalShare('Conversions per participant.')
  conversionRate: number | null;

  @Output({ ...NUMBER, description: 'Sum of all values, exact before it is written as a number.' })
  totalValue: number;

  @OptionalNumber("Value per participant, in the goal's unit.")
  valuePerParticipant: number | null;

  @OptionalNumber('Value per conversion event.')
  valuePerConversion: number | null;

  @OptionalNumber("Of the goal's metric, relative to the original: 0.07 is 7 % more. Null for the original.")
  uplift: number | null;

  @OptionalShare('1 - p of the test for a single look; null for the original.')
  confidence: number | null;

  @Output({
    type: 'boolean',
    description:
      "May one stop now? The project's rule of significance holds, and its `min_conversions` and `min_runtime_days` are reached. With the method `sequential` it may be asked again and again.",
  })
  isConfident: boolean;

  @Part(DurationFigures, 'How long it has been running, and for how long it should.')
  duration: DurationFigures;

  @Part(DecisionFigures, 'How the figures came about.')
  statistics: DecisionFigures;
}
