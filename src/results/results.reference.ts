import { applyDecorators } from '@nestjs/common';
import { ApiQuery, ApiResponse } from '@nestjs/swagger';
import { ComputedOperation, DownloadOperation } from '../common/openapi/operations';
import { DEVICE_TYPES } from '../events/device-types';
import { ResultEntry, ResultsInfo, SeriesEntry } from './result.record';
import { seriesCsv } from './series-csv';

/* What the reference says about reading results. */

const DAY = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } as const;

const FILTER = `The filter selects whole participants, so that every figure under it is about the same people: those who
entered from \`startDate\` to \`endDate\` on one of the \`deviceTypes\`, and what they did until the end of
\`endDate\`. Days are UTC days of when something happened.`;

const DELAY =
  'Events count here once they are attributed, normally within a second or two of being collected.';

/** The parameters that select participants. */
export const FILTER_PARAMETERS = [
  {
    name: 'startDate',
    required: false,
    description: 'First day, inclusive; the beginning without it.',
    schema: DAY,
    example: '2026-05-01',
  },
  {
    name: 'endDate',
    required: false,
    description: 'Last day, inclusive; now without it. Not before `startDate`.',
    schema: DAY,
    example: '2026-05-31',
  },
  {
    name: 'deviceTypes',
    required: false,
    description: `Comma-separated or repeated, of: ${DEVICE_TYPES.join(', ')}. A participant has the device of its first exposure.`,
    schema: { type: 'string' as const },
    example: 'mobile,tablet',
  },
] as const;

const FilterQueries = (): MethodDecorator =>
  applyDecorators(...FILTER_PARAMETERS.map((parameter) => ApiQuery(parameter)));

const NoResults = (): MethodDecorator =>
  ApiResponse({
    status: 404,
    description:
      'Or nobody has taken part yet: `No result found for this experiment`. (When only the filter leaves nobody, the answer is 200 with zeros.)',
  });

export const ResultsOperation = (): MethodDecorator =>
  applyDecorators(
    ComputedOperation(
      [ResultEntry],
      {
        id: 'showResults',
        summary: 'Show the results of an experiment',
        description: `One entry for each attached goal, in the order attached, with the statistics of every variation.

${FILTER}

Who polls should wait for \`isConfident\`, not for a high \`confidence\`: with the method \`sequential\` it keeps its error
rate however often it is asked. While the experiment runs, the answer changes every second because \`duration\` does.
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
    summary: 'Show how results are shared and whether they can be trusted',
    description: `About all participants, without a filter, and also before there are any. ${DELAY}`,
  });

const SERIES = `A row for each UTC day and variation, also of days on which nothing happened: from when the experiment first ran
(or the first participant entered) until today while it runs, afterwards until it last ran or something last happened.
\`startDate\` and \`endDate\` narrow that. The last cumulative row of a variation has the figures of the results under
the same filter.

${FILTER}`;

export const SeriesOperation = (): MethodDecorator =>
  applyDecorators(
    ComputedOperation(
      [SeriesEntry],
      { id: 'showGoalSeries', summary: 'Show what happened for a goal day by day', description: SERIES },
      { canFail: true },
    ),
    FilterQueries(),
    NoResults(),
  );

export const SeriesDownloadOperation = (): MethodDecorator =>
  applyDecorators(
    DownloadOperation(
      { type: 'text/csv', example: seriesCsv([SeriesEntry.example]) },
      {
        id: 'downloadGoalSeries',
        summary: 'Download what happened for a goal day by day',
        description: `The rows and columns of the series as CSV (RFC 4180, UTF-8, with a header row). A name of a variation
that a spreadsheet would take for a formula is preceded by an apostrophe. ${SERIES}`,
      },
    ),
    FilterQueries(),
    NoResults(),
  );
