import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import {
  ConversionStatistics,
  MEAN_TESTS,
  MeanTest,
  RATE_TESTS,
  RateTest,
  Interval,
  PlannedStatistics,
  RatioStatistics,
  SequentialStatistics,
  ValueStatistics,
} from '../statistics/result';
import {
  Count,
  INTERVAL,
  NUMBER,
  OptionalChoice,
  OptionalInterval,
  OptionalNumber,
  OptionalPart,
  OptionalShare,
  SHARE,
} from './figure-fields';

/* Reference for the comparison of a variation with the original. */

/** The sequential test, which is valid at any time and for any number of looks. */
@ApiSchema({ description: 'The sequential test: valid at any time and under any number of looks.' })
export class SequentialFigures implements SequentialStatistics {
  @Output({ ...INTERVAL, description: 'Confidence sequence of the difference.' })
  interval: Interval;

  @OptionalInterval(
    'Confidence sequence of the uplift. It excludes 0 if and only if the interval of the difference does. Null while the original is not significantly different from 0.',
  )
  upliftInterval: Interval | null;

  @Output({ ...SHARE, description: 'Always-valid p-value: it holds under any number of looks.' })
  pValue: number;

  @Output({
    ...NUMBER,
    description: 'Sample size (participants in both variations together) at which the interval is tightest.',
  })
  tuning: number;
}

/** Probabilities that apply to rates and to values. */
abstract class BayesianFigures {
  @OptionalNumber(
    'Standard deviation of the normal prior on the uplift, as a fraction; null for a flat prior.',
  )
  upliftPrior: number | null;

  @OptionalShare('Probability that the variation is better than the original.')
  chanceToBeatOriginal: number | null;

  @OptionalShare('Probability that the variation is the best of all, including the original.')
  chanceToBeBest: number | null;

  @OptionalNumber('Posterior uplift, shrunk towards 0 by the prior; null for a flat prior.')
  shrunkUplift: number | null;
}

@ApiSchema({ description: 'Bayesian comparison of the conversion rates, with Beta distributions.' })
export class BayesianConversionFigures extends BayesianFigures {
  @OptionalInterval(
    'Parameters of the Beta prior of each rate. Null if the difference is modelled as a normal distribution: with a prior on the uplift, or if the share ratio changed while the experiment was running.',
  )
  prior: [number, number] | null;

  @OptionalNumber('Expected loss of conversion rate if the variation is chosen.')
  expectedLoss: number | null;

  @OptionalInterval('Credible interval of the difference.')
  differenceInterval: Interval | null;

  @OptionalInterval('Credible interval of the uplift.')
  upliftInterval: Interval | null;
}

/** The fields that rates and values have in common. */
abstract class ComparedFigures {
  @OptionalNumber('Standard error of the difference.')
  standardError: number | null;

  @OptionalInterval('Confidence interval of the difference, for a single look.')
  interval: Interval | null;

  @OptionalNumber('The difference relative to the original.')
  uplift: number | null;

  @OptionalNumber('Standard error of the uplift, by the delta method.')
  upliftStandardError: number | null;

  @OptionalInterval('Confidence interval of the uplift, for a single look.')
  upliftInterval: Interval | null;

  @OptionalShare(
    'Two-sided p-value for a single look: the probability of a difference at least this large if there is no effect.',
  )
  pValue: number | null;

  @OptionalShare('p-value adjusted for multiple goals and variations, if the project uses a correction.')
  pValueAdjusted: number | null;

  @OptionalPart(SequentialFigures, 'Sequential test, valid under any number of looks.')
  sequential: SequentialFigures | null;
}

@ApiExtraModels(SequentialFigures, BayesianConversionFigures)
@ApiSchema({ description: 'Compares the conversion rate of a variation with the original’s.' })
export class ConversionFigures extends ComparedFigures implements ConversionStatistics {
  @OptionalNumber('Conversion rate of the variation minus the original’s.')
  difference: number | null;

  @OptionalChoice(['wald', 'newcombe'], 'Method of the interval: `newcombe` for small counts.')
  intervalMethod: 'wald' | 'newcombe' | null;

  @OptionalChoice(
    RATE_TESTS,
    'Test of the p-value: `fisher` for small counts, `mantel-haenszel` if the share ratio changed while the experiment was running.',
  )
  test: RateTest | null;

  @OptionalPart(BayesianConversionFigures, 'Bayesian probabilities that this variation is better.')
  bayesian: BayesianConversionFigures | null;
}

@ApiSchema({ description: 'Bayesian comparison of the values per participant, with normal distributions.' })
export class BayesianValueFigures extends BayesianFigures {
  @OptionalNumber("Expected loss of value per participant if the variation is chosen, in the goal's unit.")
  expectedLoss: number | null;

  @OptionalInterval('Credible interval of the difference.')
  interval: Interval | null;
}

@ApiExtraModels(SequentialFigures, BayesianValueFigures)
@ApiSchema({ description: 'Compares the value per participant of a variation with the original’s.' })
export class ValueFigures extends ComparedFigures implements ValueStatistics {
  @OptionalNumber('The variation’s value per participant minus the original’s.')
  difference: number | null;

  @OptionalNumber("Degrees of freedom of Welch's test.")
  degreesOfFreedom: number | null;

  @OptionalNumber('The test statistic: difference divided by standard error.')
  t: number | null;

  @OptionalChoice(
    MEAN_TESTS,
    "Test of the p-value: Welch's t test, stratified if the share ratio changed while the experiment was running.",
  )
  test: MeanTest | null;

  @OptionalPart(BayesianValueFigures, 'Bayesian probabilities that this variation is better.')
  bayesian: BayesianValueFigures | null;
}

@ApiSchema({ description: 'The value per conversion: a ratio of two sums over participants.' })
export class RatioFigures implements RatioStatistics {
  @Output({ ...NUMBER, description: 'Value per conversion event.' })
  estimate: number;

  @Output({ ...NUMBER, description: 'Standard error of the estimate, by the delta method.' })
  standardError: number;

  @Output({ ...INTERVAL, description: 'Confidence interval of the estimate, for a single look.' })
  interval: Interval;

  @OptionalNumber('Value per conversion minus the original’s.')
  difference: number | null;

  @OptionalNumber('The difference relative to the original.')
  uplift: number | null;

  @OptionalShare(
    'Two-sided p-value for a single look: the probability of a difference at least this large if there is no effect.',
  )
  pValue: number | null;
}

@ApiSchema({ description: "A group-sequential test with the experiment's plan: one look per UTC day." })
export class PlannedFigures implements PlannedStatistics {
  @OptionalInterval(
    'Repeated confidence interval of the difference at the look on `lookedOn`, or for a look taken now. Null while no error can be spent yet.',
  )
  interval: Interval | null;

  @OptionalInterval(
    'Repeated confidence interval of the uplift at the look on `lookedOn`, or for a look taken now. Null while no error can be spent yet.',
  )
  upliftInterval: Interval | null;

  @OptionalNumber(
    'Critical value of |z| at the look. Null while no error can be spent yet: at 95 %, until about 10 % of the plan.',
  )
  criticalValue: number | null;

  @Output({
    ...NUMBER,
    minimum: 0,
    description: 'Fraction of the planned information collected so far; 1 is all of it.',
  })
  informationFraction: number;

  @Count('Number of looks so far.')
  looks: number;

  @Output({
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    nullable: true,
    description:
      'UTC day of the look that the figures are from: the deciding look, or the latest look if none has decided.',
  })
  lookedOn: string | null;

  @Output({ type: 'boolean', description: 'True if there will be no further looks.' })
  isOver: boolean;

  @Output({
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    nullable: true,
    description:
      'UTC day of the deciding look, after which the verdict does not change. Null without a decision.',
  })
  decidedOn: string | null;
}
