import { ApiSchema } from '@nestjs/swagger';
import { Output } from '../common/validation/fields';
import { Id, Name } from '../common/validation/record-fields';
import type { AgeRow, WeekRow } from './entry-series';
import { Count, NUMBER, OptionalNumber } from './figure-fields';
import type { SeriesRow } from './series';

/* Reference for the series by entry. */

const Value = (description: string): PropertyDecorator => Output({ ...NUMBER, description });

@ApiSchema({
  description:
    'One variation on one day since entry. It includes the participants for whom this day has begun, so later rows have fewer participants.',
})
export class AgeEntry implements AgeRow {
  @Count('Days since the day of entry; 0 is the day of entry.')
  age: number;

  @Id('Id of the variation.')
  variation_id: number;

  @Name()
  variation_name: string;

  @Count('Participants for whom this day has begun.')
  participants: number;

  @Count('Of these, participants who first converted on this day since entry.')
  conversions: number;

  @Count('Their conversion events on this day since entry.')
  total_conversions: number;

  @Value("Sum of values on this day since entry, in the goal's unit; 0 for goals without values.")
  value: number;

  @OptionalNumber(
    'Uplift of `conversions` per participant over the original; it shows novelty effects. Null for the original, or if the original has no conversions.',
  )
  uplift: number | null;

  @OptionalNumber('Lower end of its confidence interval, for a single look.')
  uplift_lower: number | null;

  @OptionalNumber('Upper end of its confidence interval, for a single look.')
  uplift_upper: number | null;

  @Count('Participants of the row who converted from entry up to and including this day.')
  cumulative_conversions: number;

  @Count('Their conversion events from entry up to and including this day.')
  cumulative_total_conversions: number;

  @Value('Sum of their values from entry up to and including this day.')
  cumulative_value: number;

  @OptionalNumber(
    "Uplift of the goal's metric from entry up to and including this day; null for the original.",
  )
  cumulative_uplift: number | null;

  @OptionalNumber('Lower end of its confidence interval, for a single look.')
  cumulative_uplift_lower: number | null;

  @OptionalNumber('Upper end of its confidence interval, for a single look.')
  cumulative_uplift_upper: number | null;

  static readonly example: AgeEntry = {
    age: 1,
    variation_id: 23248305,
    variation_name: 'Green button',
    participants: 4_000,
    conversions: 44,
    total_conversions: 46,
    value: 2_310.5,
    uplift: 0.1,
    uplift_lower: -0.347,
    uplift_upper: 0.547,
    cumulative_conversions: 244,
    cumulative_total_conversions: 251,
    cumulative_value: 12_905.25,
    cumulative_uplift: 0.12,
    cumulative_uplift_lower: -0.08,
    cumulative_uplift_upper: 0.32,
  };
}

@ApiSchema({
  description:
    'One variation and one week of entry: the participants who entered in this week, with their conversions until the end of the range.',
})
export class WeekEntry implements WeekRow {
  @Output({
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description: 'First UTC day of the week, a Monday.',
  })
  week: string;

  @Id('Id of the variation.')
  variation_id: number;

  @Name()
  variation_name: string;

  @Count('Participants who entered in this week.')
  participants: number;

  @Count('Of these, participants who converted.')
  conversions: number;

  @Count('Their conversion events.')
  total_conversions: number;

  @Value("Sum of their values, in the goal's unit; 0 for goals without values.")
  value: number;

  @OptionalNumber("Uplift of the goal's metric over the original; null for the original.")
  uplift: number | null;

  @OptionalNumber('Lower end of its confidence interval, for a single look.')
  uplift_lower: number | null;

  @OptionalNumber('Upper end of its confidence interval, for a single look.')
  uplift_upper: number | null;

  static readonly example: WeekEntry = {
    week: '2026-05-04',
    variation_id: 23248305,
    variation_name: 'Green button',
    participants: 2_010,
    conversions: 131,
    total_conversions: 140,
    value: 7_105.5,
    uplift: 0.12,
    uplift_lower: -0.15,
    uplift_upper: 0.39,
  };
}

const DailyCount = (description: string): PropertyDecorator =>
  Output({ type: 'integer', minimum: 0, description });

const CumulativeCount = (): PropertyDecorator =>
  DailyCount('Cumulative count from the first day of the series to the end of this day.');

@ApiSchema({ description: 'Events of one goal and variation on one UTC day.' })
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
    description: 'Cumulative value from the first day of the series to the end of this day.',
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
