import { ApiSchema } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { Id, Name } from '../common/validation/record-fields';
import type { SeriesRow } from './series';

const DailyCount = (description: string): PropertyDecorator =>
  Output({ type: 'integer', minimum: 0, description });

const CumulativeCount = (): PropertyDecorator =>
  DailyCount('The same count, cumulated from the first day of the series until the end of this day.');

@ApiSchema({ description: 'Events of one goal, variation and UTC day.' })
export class SeriesEntry implements SeriesRow {
  @Output({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The UTC day.' })
  date: string;

  @Id('Id of the variation.')
  variation_id: number;

  @Name()
  variation_name: string;

  @DailyCount('Participants who entered on this day.')
  participants: number;

  @DailyCount('Participants who first converted on this day.')
  conversions: number;

  @DailyCount('Conversion events on this day, including repeated conversions of one participant.')
  total_conversions: number;

  @Output({ type: 'number', description: "Sum of values, in the goal's unit; 0 for goals without values." })
  value: number;

  @CumulativeCount()
  cumulative_participants: number;

  @CumulativeCount()
  cumulative_conversions: number;

  @CumulativeCount()
  cumulative_total_conversions: number;

  @Output({
    type: 'number',
    description: 'The value, cumulated from the first day of the series until the end of this day.',
  })
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
