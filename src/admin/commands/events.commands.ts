import type { ImportFormat } from '../../events/file-formats';
import { ImportRefusedError } from '../../events/import/import-file';
import type { ImportReport } from '../../events/import/import-report';
import { addCommand, CommandGroup } from '../command';
import { file, id, oneOf, optional, required } from '../options';
import { counted, grouped, textBlock } from '../output';
import { RefusedError, UsageError } from '../refusals';
import { addEventExport } from './event-export.commands';
import { addEventMove } from './event-move.commands';

const FORMATS: Record<ImportFormat, string> = {
  ndjson:
    'one JSON object per line: a message in the format of POST /v1/batch, or an object with the keys below',
  csv: 'a table with a header row',
};

const DETAILS = [
  'The keys or columns are type, event, anonymousId, messageId, timestamp, experiment_id, variation_id, value, url and device',
  "Events keep their timestamps. If an experiment's first exposure is earlier than its start, the start is moved back to that exposure; an experiment that never ran accepts no events",
  'To resume an interrupted import, import the same file again; no event is stored twice',
].join('. ');

const MEBIBYTE = 1_048_576;

const inMebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

/** For each reason: the number of messages, a description, and the first few line numbers. */
function reasonsBlock<Reason extends string>(
  counts: Partial<Record<Reason, number>>,
  firstLines: Partial<Record<Reason, number[]>>,
  sentences: Record<Reason, string>,
): string[] {
  const rows = (Object.keys(counts) as Reason[]).map((reason) => {
    const count = counts[reason] ?? 0;
    const lines = firstLines[reason] ?? [];
    const more = count > lines.length ? ', ...' : '';
    const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more}`;
    return [grouped(count), reason, `${sentences[reason]} (${where})`];
  });
  return rows.length === 0 ? [] : [textBlock(rows)];
}

/** The report of an import as text. */
async function reportText(report: ImportReport): Promise<string> {
  const { REJECTIONS } = await import('../../events/messages.js');
  const { LINK_REFUSALS } = await import('../../events/links/link-request.js');
  const { file: name, project_id, lines, accepted, rejected, resumed_after, imported_before } = report;
  const headline = imported_before
    ? `${name} was already imported into project ${project_id}. No event was stored again; the results are up to date.`
    : `Imported ${name} into project ${project_id}.`;
  const ignored = Object.values(report.ignored_links).reduce((sum, count) => sum + count, 0);
  return [
    headline,
    ...(resumed_after === null ? [] : [`Resumed an interrupted import after line ${resumed_after}.`]),
    `${counted(lines, 'message')}: ${grouped(accepted)} accepted, ${grouped(rejected)} rejected.`,
    ...reasonsBlock(report.reasons, report.rejected_lines, REJECTIONS),
    ...(ignored === 0 ? [] : [`${counted(ignored, 'accepted message')} linked no ids.`]),
    ...reasonsBlock(report.ignored_links, report.ignored_link_lines, LINK_REFUSALS),
  ].join('\n');
}

/** The format of an import file. @throws UsageError if the format cannot be derived from the file name */
async function formatOf(path: string): Promise<ImportFormat> {
  const { importFormatOf } = await import('../../events/file-formats.js');
  const format = importFormatOf(path);
  if (format === null) {
    throw new UsageError(`The format is not clear from the name ${path}: add --format ndjson or csv.`);
  }
  return format;
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
        'file format; derived from the file name by default',
        oneOf(FORMATS),
      ),
    },
    examples: [
      '--project 1 --file events.ndjson',
      '--project 1 --file events.csv.gz --json',
      '--project 1 --file export.txt --format csv',
    ],
    run: async ({ project, file: path, format: given }, context, progress) => {
      const format = given ?? (await formatOf(path));
      const { imports } = await context.services();
      const request = { projectId: project, file: path, format };
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
