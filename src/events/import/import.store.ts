import { Injectable } from '@nestjs/common';
import { nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { ignoringDuplicates } from '../../database/dialect';
import { ConflictError } from '../../database/errors';
import { countRows } from '../../database/row-store';
import type { Rejection } from '../messages';
import { ImportRefusedError } from './import-file';
import { type IgnoredLinks, type ImportCounts, type Rejections, unfinishedIn } from './import-report';

/** Progress of an import. */
export interface ImportState extends ImportCounts {
  id: number;
  /** The last line read; 0 at the start. */
  line: number;
  isFinished: boolean;
}

interface Row {
  id: number;
  line: number;
  accepted: number;
  rejections: string;
  ignored_links: string | null;
  finished_version: number | null;
}

/**
 * Rejection reasons that may cease to apply even if the project does not change. The same is true of all reasons for
 * ignoring links.
 */
const PASSING: readonly Rejection[] = ['timestamp_in_future', 'too_many_events', 'visitor_deleted'];

const isPassing = ({ rejections, ignoredLinks }: ImportCounts): boolean =>
  PASSING.some((reason) => rejections[reason] !== undefined) || Object.keys(ignoredLinks).length > 0;

/** Stored for an import that spans several project versions. No project has this version. */
const SEVERAL_VERSIONS = 0;

/** Values of the columns of an import that starts with the first line. */
const UNREAD =
  "line = 0, accepted = 0, rejections = '{}', ignored_links = NULL, finished_at = NULL, finished_version = NULL";

const BEGINNING = { line: 0, accepted: 0, rejections: {}, ignoredLinks: {}, isFinished: false };

/** Stores the progress of imports, so that interrupted imports can resume. */
@Injectable()
export class ImportStore {
  constructor(private readonly database: Database) {}

  /**
   * Finds or creates the import of a file into a project. A finished import restarts if rejected messages or ignored
   * links might now be accepted, because the project has changed or the reason may no longer apply.
   * @param version the project version
   */
  begin(projectId: number, fingerprint: string, version: number): Promise<ImportState> {
    return this.database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO event_imports (project_id, fingerprint, line, accepted, rejections) VALUES (?, ?, 0, 0, '{}')
          ${ignoringDuplicates(this.database.engine, 'project_id')}`,
        [projectId, fingerprint],
      );
      const [row]: Row[] = await tx.query(
        `SELECT id, line, accepted, rejections, ignored_links, finished_version FROM event_imports
          WHERE project_id = ? AND fingerprint = ?`,
        [projectId, fingerprint],
      );
      const state = toState(row);
      const isOutdated = row.finished_version !== version || isPassing(state);
      if (!state.isFinished || unfinishedIn(state) === 0 || !isOutdated) {
        return state;
      }
      const found = await countRows(
        tx,
        `UPDATE event_imports SET ${UNREAD} WHERE id = ? AND finished_version = ?`,
        [row.id, row.finished_version],
      );
      if (found === 0) {
        throw new ConflictError();
      }
      return { id: row.id, ...BEGINNING };
    });
  }

  /**
   * Updates the progress of an import, in the transaction that stores its events.
   * @throws ImportRefusedError if the stored progress is no longer at `from`
   */
  async advance(tx: Tx, from: ImportState, to: ImportState): Promise<void> {
    const found = await countRows(
      tx,
      `UPDATE event_imports SET line = ?, accepted = ?, rejections = ?, ignored_links = ?
        WHERE id = ? AND line = ?`,
      [
        ...[to.line, to.accepted, JSON.stringify(to.rejections), JSON.stringify(to.ignoredLinks)],
        ...[from.id, from.line],
      ],
    );
    refuseIfMoved(found);
  }

  /**
   * @param version the project version; null if it changed during the import
   * @throws ImportRefusedError if the stored progress is no longer at this line
   */
  async finish({ id, line }: ImportState, version: number | null): Promise<void> {
    const found = await this.database.transaction((tx) =>
      countRows(
        tx,
        'UPDATE event_imports SET finished_at = ?, finished_version = ? WHERE id = ? AND line = ?',
        [nowMicros(), version ?? SEVERAL_VERSIONS, id, line],
      ),
    );
    refuseIfMoved(found);
  }
}

/**
 * Makes all imports into a project start again with the first line, because exposures that they stored were purged. The
 * file may name the experiment by its `api_name`, which a new experiment can have. Events that are still stored are
 * duplicates.
 */
export async function restartImports(tx: Tx, projectId: number): Promise<void> {
  await tx.query(`UPDATE event_imports SET ${UNREAD} WHERE project_id = ?`, [projectId]);
}

function refuseIfMoved(found: number): void {
  if (found === 0) {
    throw new ImportRefusedError(
      'Another process is importing the same file into this project, or an experiment was purged. Run the command again.',
    );
  }
}

const toState = ({ id, line, accepted, rejections, ignored_links, finished_version }: Row): ImportState => ({
  id,
  line,
  accepted,
  rejections: JSON.parse(rejections) as Rejections,
  ignoredLinks: JSON.parse(ignored_links ?? '{}') as IgnoredLinks,
  isFinished: finished_version !== null,
});
