import type { ImportFormat } from '../../events/import/import-format';
import { ImportRefusedError } from '../../events/import/import-refused.error';
import type { ImportReport } from '../../events/import/import-report';
import type { Rejection } from '../../events/messages';
import { addCommand, CommandGroup } from '../command';
import { file, id, oneOf, optional, required } from '../options';
import { counted, grouped, textBlock } from '../output';
import { RefusedError } from '../refusals';
import { addEventExport } from './event-export.commands';
import { addEventMove } from './event-move.commands';

const FORMATS: Record<ImportFormat, string> = {
  ndjson: 'one JSON object per line: a message as in POST /v1/batch, or an object with the keys below',
  csv: 'a table whose first line names the columns',
};

const DETAILS = [
  'The keys or columns are type, event, anonymousId, messageId, timestamp, experiment_id, variation_id, value, url and device',
  'Events keep their timestamps. If the first exposure of an experiment is earlier than its start, the start is moved back; an experiment that never ran accepts no events',
  'To resume an interrupted import, import the same file again; no event is stored twice',
].join('. ');

const MEBIBYTE = 1_048_576;

const inMebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

function rejectionRow(report: ImportReport, reason: Rejection, sentence: string): string[] {
  const count = report.reasons[reason] ?? 0;
  const lines = report.rejected_lines[reason] ?? [];
  const more = count > lines.length ? ', ...' : '';
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
  return [grouped(count), reason, `${sentence} (${where})`];
}

/** The report of an import as text. */
async function reportText(report: ImportReport): Promise<string> {
  const { REJECTIONS } = await import('../../events/messages.js');
  const { file: name, project_id, lines, accepted, rejected, resumed_after, imported_before } = report;
  const headline = imported_before
    ? `${name} was already imported into project ${project_id}. Nothing was changed.`
    : `Imported ${name} into project ${project_id}.`;
  const reasons = Object.keys(report.reasons) as Rejection[];
  return [
    headline,
    ...(resumed_after === null ? [] : [`Resumed an interrupted import after line ${resumed_after}.`]),
    `${counted(lines, 'message')}: ${grouped(accepted)} accepted, ${grouped(rejected)} rejected.`,
    ...(reasons.length === 0
      ? []
      : [textBlock(reasons.map((reason) => rejectionRow(report, reason, REJECTIONS[reason])))]),
  ].join('\n');
}

function addImport(group: CommandGroup): void {
  addCommand(group, {
    name: 'events:import',
    summary: 'Import historical events from a file',
    details: DETAILS,
    options: {
      project: required('--project <id>', 'id of the project', id),
      file: required('--file <file>', 'the file, plain or gzip-compressed', file),
      format: optional(
        '--format <format>',
        'file format; by default taken from the file name',
        oneOf(FORMATS),
      ),
    },
    examples: [
      '--project 1 --file events.ndjson',
      '--project 1 --file events.csv.gz --json',
      '--project 1 --file export.txt --format csv',
    ],
    run: async ({ project, file: path, format }, context, progress) => {
      const { imports } = await context.services();
      const request = { projectId: project, file: path, ...(format === undefined ? {} : { format }) };
      try {
        return await imports.import(request, progress.show('Importing', inMebibytes));
      } catch (error) {
        throw error instanceof ImportRefusedError ? new RefusedError(error.message) : error;
      }
    },
    show: reportText,
  });
}

export function addEventCommands(group: CommandGroup): void {
  addImport(group);
  addEventExport(group);
  addEventMove(group);
}
