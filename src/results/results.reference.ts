import { applyDecorators } from '@nestjs/common';
import { ApiQuery, ApiResponse } from '@nestjs/swagger';
import { ComputedOperation, DownloadOperation } from '../common/openapi/operations';
import { DEVICE_TYPES } from '../events/device-types';
import { AgeEntry, SeriesEntry, WeekEntry } from './series.record';
import { COHORTS } from './experiment-results';
import { SERIES_KEYS } from './result-filter';
import { ResultEntry, ResultsInfo } from './result.record';
import { seriesCsv } from './series';

/* Reference for the results endpoints. */

const DAY = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } as const;

const FILTER = `The filter selects participants, so that all figures describe the same people: participants who entered from
\`startDate\` to \`endDate\` on one of the \`deviceTypes\`, with their conversions until the end of \`endDate\`. Days are
UTC days of the event time. \`cohorts=mature\` excludes, for each goal, participants whose conversion window has not
ended; the sample ratio is tested with all participants.`;

const DELAY =
  'Events are included after attribution, normally one to two seconds after collection (five to ten in ClickHouse).';

/** The parameters that select participants. */
export const FILTER_PARAMETERS = [
  {
    name: 'startDate',
    required: false,
    description: 'First day, inclusive. The default is the first day of the experiment.',
    schema: DAY,
    example: '2026-05-01',
  },
  {
    name: 'endDate',
    required: false,
    description: 'Last day, inclusive. Must not be before `startDate`. The default is today.',
    schema: DAY,
    example: '2026-05-31',
  },
  {
    name: 'deviceTypes',
    required: false,
    description: `One or more of ${DEVICE_TYPES.join(', ')}; comma-separated or repeated. A participant's device is that of the first exposure.`,
    schema: { type: 'string' as const },
    example: 'mobile,tablet',
  },
  {
    name: 'cohorts',
    required: false,
    description:
      'With `mature`, only participants whose conversion window has ended. Goals without a window are not affected.',
    schema: { type: 'string' as const, enum: [...COHORTS] },
    example: 'mature',
  },
] as const;

const FilterQueries = (): MethodDecorator =>
  applyDecorators(...FILTER_PARAMETERS.map((parameter) => ApiQuery(parameter)));

const NoResults = (): MethodDecorator =>
  ApiResponse({
    status: 404,
    description:
      'The item does not exist, or the experiment has no participants yet: `No result found for this experiment`. If only the filter excludes all participants, the response is 200 with zeros.',
  });

export const ResultsOperation = (): MethodDecorator =>
  applyDecorators(
    ComputedOperation(
      [ResultEntry],
      {
        id: 'showResults',
        summary: 'Show the results of an experiment',
        description: `Returns one entry for each goal, in the order in which the goals are attached, with the statistics of every variation.

${FILTER}

When polling, wait for \`isConfident\`, not for a high \`confidence\`: with the method \`sequential\`, the error rate of \`isConfident\` holds under any number of looks. While the experiment is running, the response changes every second because of \`duration\`.
${DELAY}`,
      },
      { canFail: true },
    ),
    FilterQueries(),
    NoResults(),
  );

export const InfoOperation = (): MethodDecorator =>
  ComputedOperation(ResultsInfo, {
    id: 'showResultsInfo',
    summary: 'Show the share link and the data quality of results',
    description: `Always covers all participants; filters do not apply. Available even before the first participant. ${DELAY}
\`events_counted_before\` shows how far attribution has progressed.`,
  });

const BY = {
  name: 'by',
  required: false,
  description: 'The period of each row: a UTC day, a day since entry, or a week of entry.',
  schema: { type: 'string' as const, enum: [...SERIES_KEYS], default: 'date' },
  example: 'date',
};

const SERIES = `One row for each UTC day and variation, including days without events. The series begins with the first start of the
experiment (or the first participant) and ends today; after the experiment has stopped, it ends with the last day
on which it ran, or the day of the last event if that is later. \`startDate\` and \`endDate\` narrow the range. The last cumulative row of a variation has the
same figures as the results under the same filter.

With \`by=age\`, one row for each day since entry and variation. A row includes the participants for whom this day has begun; today is included although it is not over. \`uplift\` is that of the day, which shows novelty effects;
\`cumulative_uplift\` is that of the goal's metric from entry up to and including that day. With \`by=week\`, one row for each week of entry
and variation, with all conversions of its participants so far. As in the results, uplifts are computed within periods of
constant shares. Their intervals are for a single look, and with many rows some exclude 0 by chance.

${FILTER}`;

export const SeriesOperation = (): MethodDecorator =>
  applyDecorators(
    ComputedOperation(
      [SeriesEntry, AgeEntry, WeekEntry],
      { id: 'showGoalSeries', summary: 'Show a series of a goal', description: SERIES },
      { canFail: true },
    ),
    ApiQuery(BY),
    FilterQueries(),
    NoResults(),
  );

export const SeriesDownloadOperation = (): MethodDecorator =>
  applyDecorators(
    DownloadOperation(
      { type: 'text/csv', example: seriesCsv([SeriesEntry.example]) },
      {
        id: 'downloadGoalSeries',
        summary: 'Download a series of a goal',
        description: `Returns the series as CSV (RFC 4180, UTF-8, with a header row). Variation names that a spreadsheet would read as a
formula are prefixed with an apostrophe. ${SERIES}`,
      },
    ),
    ApiQuery(BY),
    FilterQueries(),
    NoResults(),
  );
