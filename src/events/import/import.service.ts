import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../common/errors/api-errors';
import { Attribution } from '../attribution-steps';
import type { ImportFormat } from '../file-formats';
import { FileRecord, recordsOf } from './file-records';
import { ImportFile, ImportRefusedError } from './import-file';
import { addBatch, ImportReport, reportOn } from './import-report';
import { ImportState, ImportStore } from './import.store';
import { ImportWriter, StoredMessages } from './import-writer';
import { messageReader, ReadMessage } from './message-reader';

export interface ImportRequest {
  projectId: number;
  /** Path of the file. */
  file: string;
  format: ImportFormat;
}

/** Called after each batch with the bytes read and the file size. */
export type ImportProgress = (done: number, total: number) => void;

const BATCH_RECORDS = 1_000;
const BATCH_BYTES = 4_194_304;

/** Imports files of historical events. */
@Injectable()
export class ImportService {
  constructor(
    private readonly imports: ImportStore,
    private readonly writer: ImportWriter,
    private readonly attribution: Attribution,
  ) {}

  /**
   * Stores the events in a file, batch by batch, and updates the results. An interrupted import resumes after the last
   * stored batch; a finished import is repeated only if messages that were rejected, or links that were ignored, might
   * now be accepted.
   * @throws ImportRefusedError if the project does not exist, or the file cannot be parsed or read completely
   */
  async import(request: ImportRequest, progress: ImportProgress = () => undefined): Promise<ImportReport> {
    const file = await ImportFile.open(request.file);
    try {
      return await this.importFile(request, file, progress);
    } catch (error) {
      throw error instanceof NotFoundError
        ? new ImportRefusedError(`There is no project ${request.projectId}.`)
        : error;
    } finally {
      await file.close();
    }
  }

  private async importFile(
    { projectId, file: name, format }: ImportRequest,
    file: ImportFile,
    progress: ImportProgress,
  ): Promise<ImportReport> {
    const version = await this.writer.versionOf(projectId);
    const records = recordsOf(file.content(), format);
    try {
      const read = messageReader(format, format === 'csv' ? await firstOf(records) : null);
      const begun = await this.imports.begin(projectId, await file.fingerprint(format), version);
      let state = begun;
      if (!begun.isFinished) {
        // The project version after the batches stored so far; null if lines may have been rejected under other
        // definitions.
        let known = begun.line === 0 ? version : null;
        for await (const batch of batchesOf(after(begun.line, records))) {
          const stored = await this.storeBatch(projectId, state, batch, read);
          state = stored.state;
          known = stored.version === known ? stored.nextVersion : null;
          progress(file.bytesRead, file.size);
        }
        await this.imports.finish(state, known);
      }
      await this.attribution.drain();
      const resumed_after = begun.isFinished || begun.line === 0 ? null : begun.line;
      const circumstances = { resumed_after, imported_before: begun.isFinished };
      return reportOn({ project_id: projectId, file: name, ...circumstances }, state);
    } finally {
      await records.return(undefined);
    }
  }

  private async storeBatch(
    projectId: number,
    from: ImportState,
    batch: readonly FileRecord[],
    read: ReadMessage,
  ): Promise<StoredMessages & { state: ImportState }> {
    const lines = batch.map(({ line }) => line);
    const lastLine = batch[batch.length - 1].lastLine;
    let state = from;
    const stored = await this.writer.store(projectId, batch.map(read), async (tx, outcome) => {
      state = { ...from, ...addBatch(from, outcome, lines), line: lastLine };
      await this.imports.advance(tx, from, state);
    });
    return { ...stored, state };
  }
}

async function firstOf<T>(items: AsyncGenerator<T, void>): Promise<T | null> {
  const { value, done } = await items.next();
  return done === true ? null : value;
}

/** The records that start after a line. */
async function* after(line: number, records: AsyncIterable<FileRecord>): AsyncGenerator<FileRecord> {
  for await (const record of records) {
    if (record.line > line) {
      yield record;
    }
  }
}

/** Groups records into batches, which are limited by record count and size. */
async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncGenerator<FileRecord[]> {
  let batch: FileRecord[] = [];
  let bytes = 0;
  for await (const record of records) {
    batch.push(record);
    bytes += record.bytes?.length ?? 0;
    if (batch.length === BATCH_RECORDS || bytes >= BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) {
    yield batch;
  }
}
