import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { ApiName, Id, Name, Timestamp } from '../common/validation/record-fields';
import { GOAL_TYPES } from '../goals/goal.entity';
import type { SampleRatio, VariationStatistics } from '../statistics/result';
import type { ExperimentResults } from './experiment-results';
import { EXAMPLE_STATISTICS } from './result.example';
import type { SeriesRow } from './series';
import { VariationFigures } from './statistics.record';

/** The results of one attached goal. */
@ApiExtraModels(VariationFigures)
@ApiSchema({ description: 'The results of one attached goal.' })
export class ResultEntry {
  @Id('Id of the goal.')
  id: number;

  @Output({ type: 'string', enum: GOAL_TYPES, description: 'What counts as a conversion of the goal.' })
  type: string;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(VariationFigures) },
    description: 'One entry for each variation, by its id.',
  })
  variationStatistics: Record<string, VariationStatistics>;

  static readonly example: ResultEntry = {
    id: 3,
    type: 'custom',
    name: 'Order placed',
    api_name: 'order-placed',
    variationStatistics: EXAMPLE_STATISTICS,
  };
}

/** The entries that the results endpoint answers with, in the order in which the goals are attached. */
export function toResultEntries({ goals }: ExperimentResults): ResultEntry[] {
  return goals.map(({ id, type, name, api_name, variations }) => ({
    id,
    type,
    name,
    api_name,
    variationStatistics: Object.fromEntries(variations.map((figures) => [String(figures.id), figures])),
  }));
}

@ApiSchema({ description: 'A chi-square test of how the participants divide over the variations.' })
export class SampleRatioFigures implements SampleRatio {
  @Output({
    type: 'number',
    minimum: 0,
    description: 'How far the participants are from the shares: 0 is not at all.',
  })
  chiSquare: number;

  @Output({ type: 'integer', minimum: 0, description: 'Variations with a share, less one.' })
  degreesOfFreedom: number;

  @Output({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'How unlikely this division of the participants is if all is well.',
  })
  pValue: number;

  @Output({
    type: 'boolean',
    description: 'True: visitors are lost or sent astray, so the results should not be trusted.',
  })
  isMismatch: boolean;
}

@ApiExtraModels(SampleRatioFigures)
@ApiSchema({ description: 'How results are shared, and whether they can be trusted.' })
export class ResultsInfo {
  @Output({ type: 'string', description: 'Secret of the address at which the results are shared.' })
  share_token: string;

  @Output({ type: 'string', format: 'uri', description: 'Shows the results to whoever has this address.' })
  share_url: string;

  @Output({ type: 'boolean', description: 'Has anybody taken part yet?' })
  has_results: boolean;

  @Output({ type: 'integer', minimum: 0, description: 'Visitors who took part, in all variations.' })
  participants: number;

  @Timestamp({ nullable: true, description: 'The first exposure of a participant.' })
  first_event_at: string | null;

  @Timestamp({ nullable: true, description: 'The last exposure or conversion of a participant.' })
  last_event_at: string | null;

  @Output({
    allOf: [{ $ref: getSchemaPath(SampleRatioFigures) }],
    description: 'Do the participants divide over the variations as the shares now in force say?',
  })
  sample_ratio_mismatch: SampleRatioFigures;

  @Output({
    type: 'integer',
    minimum: 0,
    description:
      'Participants who were later shown another variation; they count where they were seen first. Many of them mean that assignments do not last.',
  })
  crossovers: number;

  static readonly example: ResultsInfo = {
    share_token: 'pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
    share_url: 'https://ab.example.com/share/pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
    has_results: true,
    participants: 10_000,
    first_event_at: '2026-05-01T09:30:00.123000Z',
    last_event_at: '2026-05-13T18:04:11.500000Z',
    sample_ratio_mismatch: {
      chiSquare: 0.16,
      degreesOfFreedom: 1,
      pValue: 0.689156516779352,
      isMismatch: false,
    },
    crossovers: 3,
  };
}

const DailyCount = (description: string): PropertyDecorator =>
  Output({ type: 'integer', minimum: 0, description });

const CumulativeCount = (): PropertyDecorator =>
  DailyCount('The same, from the first day of the series until the end of this one.');

@ApiSchema({ description: 'What happened for one goal on one day in one variation.' })
export class SeriesEntry implements SeriesRow {
  @Output({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The UTC day.' })
  date: string;

  @Id('Id of the variation.')
  variation_id: number;

  @Name()
  variation_name: string;

  @DailyCount('Participants who entered on this day.')
  participants: number;

  @DailyCount('Participants whose first conversion fell on this day.')
  conversions: number;

  @DailyCount('Conversion events on this day, also repeated ones of one participant.')
  total_conversions: number;

  @Output({ type: 'number', description: "Sum of values, in the goal's unit; 0 for goals without values." })
  value: number;

  @CumulativeCount()
  cumulative_participants: number;

  @CumulativeCount()
  cumulative_conversions: number;

  @CumulativeCount()
  cumulative_total_conversions: number;

  @Output({ type: 'number', description: 'The sum until the end of this day.' })
  cumulative_value: number;

  static readonly example: SeriesEntry = {
    date: '2026-05-02',
    variation_id: 23248305,
    variation_name: 'Green button',
    participants: 411,
    conversions: 30,
    total_conversions: 32,
    value: 7105.5,
    cumulative_participants: 806,
    cumulative_conversions: 58,
    cumulative_total_conversions: 61,
    cumulative_value: 13528.25,
  };
}
