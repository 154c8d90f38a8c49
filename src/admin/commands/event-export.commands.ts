import { resolve } from 'node:path';
import type { ExportReport, ExportService } from '../../events/export/export.service';
import { type ExportFormat, exportFormatOf, STANDARD_OUTPUT } from '../../events/file-formats';
import { addCommand, CommandGroup } from '../command';
import { file, flag, id, moment, oneOf, optional, required, checkPeriod } from '../options';
import { counted } from '../output';
import { RefusedError, UsageError } from '../refusals';
import { requireScope } from './lookups';

const FORMATS: Record<ExportFormat, string> = {
  ndjson: 'one JSON object per line',
  csv: 'a table with a header row',
  parquet: 'Apache Parquet, for DuckDB, ClickHouse, pandas and data warehouses',
};

const DETAILS = [
  'Writes two files: one with the events, one event per row, and next to it one with the counting rules (events.rules.ndjson for events.parquet)',
  'docs/events-export.md describes both files and shows the SQL that computes results from them',
  'The files contain visitor ids, so only your user account can read them. The server can keep running; events collected during the export may be missing',
].join('. ');

interface Given {
  format?: ExportFormat;
  output: string;
  rules?: string;
  from?: number;
  until?: number;
}

function formatOf({ format, output }: Given): ExportFormat {
  const chosen = format ?? exportFormatOf(output);
  if (chosen === null) {
    throw new UsageError(
      `The format is not clear from the name ${output}: add --format ndjson, csv or parquet.`,
    );
  }
  if (chosen === 'parquet' && output === STANDARD_OUTPUT) {
    throw new UsageError('Parquet needs an output file: pass its name with --output.');
  }
  return chosen;
}

/** The path of the rules file: by default, next to the events file, or null if events go to standard output. */
function rulesFile({ output, rules }: Given): string | null {
  if (rules === undefined) {
    return output === STANDARD_OUTPUT
      ? null
      : `${output.replace(/\.(?:ndjson|jsonl|json|csv|parquet)$/i, '')}.rules.ndjson`;
  }
  if (resolve(rules) === resolve(output)) {
    throw new UsageError('--output and --rules must be different files.');
  }
  return rules;
}

/**
 * Runs the work and stops it cleanly on Ctrl-C, on SIGTERM, and when the terminal is closed. These signals may arrive
 * more than once: npm passes on those that its child has already received from the terminal.
 */
async function stoppable<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  signals.forEach((signal) => process.on(signal, end));
  try {
    return await work(stop.signal);
  } finally {
    signals.forEach((signal) => process.off(signal, end));
  }
}

async function exported(
  exports: ExportService,
  ...given: Parameters<ExportService['export']>
): Promise<ExportReport> {
  const { ExportRefusedError } = await import('../../events/export/export-target.js');
  try {
    return await exports.export(...given);
  } catch (error) {
    throw error instanceof ExportRefusedError ? new RefusedError(error.message) : error;
  }
}

function reportText({ project_id, file: name, rules_file, events, experiments }: ExportReport): string {
  const rules =
    rules_file === null ? [] : [`Counting rules of ${counted(experiments, 'experiment')}: ${rules_file}`];
  return [`Exported ${counted(events, 'event')} of project ${project_id}: ${name ?? ''}`, ...rules].join(
    '\n',
  );
}

export function addEventExport(group: CommandGroup): void {
  addCommand(group, {
    name: 'events:export',
    summary: "Export a project's events to a file",
    details: DETAILS,
    options: {
      project: required('--project <id>', 'id of the project', id),
      output: required('--output <file>', 'output file, or - for standard output', file),
      format: optional(
        '--format <format>',
        'file format; derived from the file name by default',
        oneOf(FORMATS),
      ),
      rules: optional(
        '--rules <file>',
        'file for the counting rules; by default next to the events file',
        file,
      ),
      experiment: optional(
        '--experiment <id>',
        'export only visitors who were exposed to this experiment',
        id,
      ),
      from: optional('--from <time>', 'export only events at or after this time', moment),
      until: optional('--until <time>', 'export only events before this time', moment),
      overwrite: flag('--overwrite', 'overwrite existing files'),
    },
    examples: [
      '--project 1 --output events.parquet',
      '--project 1 --output events.csv --experiment 12 --json',
      '--project 1 --output - --format ndjson --until 2026-06-01',
    ],
    run: async (given, context, progress) => {
      checkPeriod(given);
      const format = formatOf(given);
      const rules = rulesFile(given);
      const { project, experiment = null, from = null, until = null, output, overwrite } = given;
      const services = await context.services();
      await requireScope(services, project, experiment ?? undefined);
      const request = {
        projectId: project,
        experimentId: experiment,
        from,
        until,
        format,
        output,
        rules,
        overwrite,
      };
      const shown = progress.isShown ? progress.show('Exporting events') : null;
      return stoppable((stop) => exported(services.exports, request, shown, stop));
    },
    printsItself: ({ output }) => output === STANDARD_OUTPUT,
    show: reportText,
  });
}
