import { Injectable } from '@nestjs/common';
import { nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { ignoringDuplicates } from '../../database/dialect';
import type { ImportCounts, Rejections } from './import-report';
import { rejectedIn } from './import-report';
import { ImportRefusedError } from './import-refused.error';

/** How far an import has come. */
export interface ImportState extends ImportCounts {
  id: number;
  /** The last line that has been read; 0 before the first. */
  line: number;
  isFinished: boolean;
}

interface Row {
  id: number;
  line: number;
  accepted: number;
  rejections: string;
  finished_version: number | null;
}

const BEGINNING = { line: 0, accepted: 0, rejections: {}, isFinished: false };

/** Keeps how far imports have come, so that what was interrupted goes on. */
@Injectable()
export class ImportStore {
  constructor(private readonly database: Database) {}

  /**
   * The import of a file into a project; a new one when there is none. One that is finished begins anew if some of
   * its messages were rejected and may now be accepted, because the project has changed or they no longer lie ahead.
   * @param version of the project
   */
  begin(projectId: number, fingerprint: string, version: number): Promise<ImportState> {
    return this.database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO event_imports (project_id, fingerprint, line, accepted, rejections) VALUES (?, ?, 0, 0, '{}')
          ${ignoringDuplicates(this.database.engine, 'project_id')}`,
        [projectId, fingerprint],
      );
      const [row]: Row[] = await tx.query(
        `SELECT id, line, accepted, rejections, finished_version FROM event_imports
          WHERE project_id = ? AND fingerprint = ?${this.database.forUpdate}`,
        [projectId, fingerprint],
      );
      const state = toState(row);
      const isOutdated =
        row.finished_version !== version || state.rejections.timestamp_in_future !== undefined;
      if (!state.isFinished || rejectedIn(state) === 0 || !isOutdated) {
        return state;
      }
      await tx.query(
        `UPDATE event_imports SET line = 0, accepted = 0, rejections = '{}',
                finished_at = NULL, finished_version = NULL WHERE id = ?`,
        [row.id],
      );
      return { id: row.id, ...BEGINNING };
    });
  }

  /**
   * Notes how far an import has come, in the transaction that stores its events.
   * @throws ImportRefusedError when another process imports the same file
   */
  async advance(tx: Tx, from: ImportState, to: ImportState): Promise<void> {
    const [row]: { line: number }[] = await tx.query(
      `SELECT line FROM event_imports WHERE id = ?${this.database.forUpdate}`,
      [from.id],
    );
    if (row?.line !== from.line) {
      throw new ImportRefusedError('Another process is importing the same file into this project.');
    }
    await tx.query('UPDATE event_imports SET line = ?, accepted = ?, rejections = ? WHERE id = ?', [
      to.line,
      to.accepted,
      JSON.stringify(to.rejections),
      from.id,
    ]);
  }

  /** @param version of the project */
  async finish({ id }: ImportState, version: number): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query('UPDATE event_imports SET finished_at = ?, finished_version = ? WHERE id = ?', [
        nowMicros(),
        version,
        id,
      ]),
    );
  }
}

const toState = ({ id, line, accepted, rejections, finished_version }: Row): ImportState => ({
  id,
  line,
  accepted,
  rejections: JSON.parse(rejections) as Rejections,
  isFinished: finished_version !== null,
});
