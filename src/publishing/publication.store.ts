import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { piecesOf, placeholders } from '../database/row-store';
import type { Tx } from '../database/database';
import type { Reader } from '../database/delivery-pool';
import type { LiveDefinitions } from './definitions';
import { Publication, PUBLICATION_PARTS, PublicationPartName } from './publication.entity';

export type PublicationRow = Omit<Publication, 'id' | 'project'>;

/** The definitions (JSON) and the content (JSON and scripts) of a publication. */
export type PublicationParts = Record<PublicationPartName, Buffer>;

const COLUMNS = [
  'project_id',
  'revision',
  'reason',
  'source_revision',
  'user_id',
  'token_id',
  'automation',
  'created_at',
  'snippet_version',
  'digest',
  'sha256',
  'sha384',
  'bytes',
  'bytes_gzip',
  'bytes_brotli',
] as const satisfies (keyof PublicationRow)[];

/** A publication without its revision number. */
export interface BuiltPublication {
  row: Omit<
    PublicationRow,
    | 'project_id'
    | 'revision'
    | 'reason'
    | 'source_revision'
    | 'user_id'
    | 'token_id'
    | 'automation'
    | 'created_at'
  >;
  parts: PublicationParts;
}

/** A project and its current version. */
export interface PublishedProject {
  clientKey: string;
  /** Incremented by every write in the project. */
  version: number;
}

/** The current revision of a project. */
export interface Pointer {
  projectId: number;
  clientKey: string;
  revision: number;
  /** Incremented by every write in the project. */
  version: number;
}

interface PointerRow {
  id: number;
  client_key: string;
  snippet_revision: number;
  version: number;
}

/** The variation that a preview link shows, and the data for checking whether the link is valid. */
export interface PreviewedVariation {
  project_id: number;
  experiment_id: number;
  preview_version: number;
}

/** Stores publications. Rows are added but never changed. */
@Injectable()
export class PublicationStore {
  /** The client key and version of a project; null if the project does not exist or is in the trash. */
  async project(manager: Reader, projectId: number): Promise<PublishedProject | null> {
    const [row]: { client_key: string; version: number }[] = await manager.query(
      `SELECT p.client_key, v.version FROM projects p JOIN project_versions v ON v.project_id = p.id
        WHERE p.id = ? AND p.deleted_at IS NULL`,
      [projectId],
    );
    return row === undefined ? null : { clientKey: row.client_key, version: row.version };
  }

  /** The client keys of the projects in the trash. */
  async deletedKeys(reader: Reader): Promise<string[]> {
    const rows: { client_key: string }[] = await reader.query(
      'SELECT client_key FROM projects WHERE deleted_at IS NOT NULL',
    );
    return rows.map(({ client_key }) => client_key);
  }

  /** The current revisions by client key. Unknown keys and keys of deleted projects are omitted. */
  async pointers(reader: Reader, clientKeys: readonly string[]): Promise<Map<string, Pointer>> {
    const rows: PointerRow[] = await reader.query(
      `SELECT p.id, p.client_key, p.snippet_revision, v.version
         FROM projects p JOIN project_versions v ON v.project_id = p.id
        WHERE p.client_key IN (${placeholders(clientKeys.length)}) AND p.deleted_at IS NULL`,
      [...clientKeys],
    );
    return new Map(
      rows.map(({ id, client_key, snippet_revision, version }) => [
        client_key,
        { projectId: id, clientKey: client_key, revision: snippet_revision, version },
      ]),
    );
  }

  /**
   * The experiment that the variation in a preview link belongs to; null if the project has no such variation, or if
   * the variation cannot be previewed.
   */
  async previewed(
    reader: Reader,
    clientKey: string,
    variationId: number,
  ): Promise<PreviewedVariation | null> {
    const [row]: PreviewedVariation[] = await reader.query(
      `SELECT e.id AS experiment_id, e.preview_version, p.id AS project_id FROM variations v
         JOIN experiments e ON e.id = v.experiment_id AND e.deleted_at IS NULL AND e.status <> 'archive'
         JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
        WHERE v.id = ? AND p.client_key = ?`,
      [variationId, clientKey],
    );
    return row ?? null;
  }

  /** Makes a revision the current one. */
  async setCurrent(tx: Tx, projectId: number, revision: number, now: Micros): Promise<void> {
    await tx.query(
      'UPDATE projects SET snippet_revision = ?, updated_at = ?, version = version + 1 WHERE id = ?',
      [revision, now, projectId],
    );
  }

  async insert(tx: Tx, row: PublicationRow, parts: PublicationParts): Promise<void> {
    await tx.query(
      `INSERT INTO publications (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS.length)})`,
      COLUMNS.map((column) => row[column]),
    );
    for (const part of PUBLICATION_PARTS) {
      for (const [position, bytes] of piecesOf(parts[part]).entries()) {
        await tx.query(
          'INSERT INTO publication_parts (project_id, revision, part, position, bytes) VALUES (?, ?, ?, ?, ?)',
          [row.project_id, row.revision, part, position, bytes],
        );
      }
    }
  }

  /** The revisions of a project, newest first. @param limit maximum number of revisions */
  async list(manager: Reader, projectId: number, limit = 1_000_000): Promise<PublicationRow[]> {
    return this.select(manager, `project_id = ? ORDER BY revision DESC LIMIT ${limit}`, [projectId]);
  }

  /** The latest revision; null before the first one. */
  async latest(manager: Reader, projectId: number): Promise<PublicationRow | null> {
    const [row] = await this.list(manager, projectId, 1);
    return row ?? null;
  }

  async find(manager: Reader, projectId: number, revision: number): Promise<PublicationRow | null> {
    const [row] = await this.select(manager, 'project_id = ? AND revision = ?', [projectId, revision]);
    return row ?? null;
  }

  /** The revision before the given one, whose number can be much lower; null if there is none. */
  async before(manager: Reader, projectId: number, revision: number): Promise<PublicationRow | null> {
    const where = 'project_id = ? AND revision < ? ORDER BY revision DESC LIMIT 1';
    const [row] = await this.select(manager, where, [projectId, revision]);
    return row ?? null;
  }

  /** The number of the revision after the latest one. Numbers have gaps after `db:after-restore`. */
  async nextRevision(manager: Reader, projectId: number, latest: number): Promise<number> {
    const [row]: { min_revision: number }[] = await manager.query(
      'SELECT min_revision FROM project_versions WHERE project_id = ?',
      [projectId],
    );
    return Math.max(latest + 1, row?.min_revision ?? 1);
  }

  /** A part of a publication, assembled from its pieces. */
  async part(
    manager: Reader,
    projectId: number,
    revision: number,
    part: PublicationPartName,
  ): Promise<Buffer> {
    const pieces: { bytes: Buffer }[] = await manager.query(
      'SELECT bytes FROM publication_parts WHERE project_id = ? AND revision = ? AND part = ? ORDER BY position',
      [projectId, revision, part],
    );
    return Buffer.concat(pieces.map(({ bytes }) => bytes));
  }

  /** The definitions of the latest revision; null before the first one. */
  async latestDefinitions(manager: Reader, projectId: number): Promise<LiveDefinitions | null> {
    const latest = await this.latest(manager, projectId);
    return latest === null ? null : this.definitions(manager, latest);
  }

  /** The definitions of a revision. */
  async definitions(
    manager: Reader,
    { project_id, revision }: Pick<PublicationRow, 'project_id' | 'revision'>,
  ): Promise<LiveDefinitions> {
    const json = await this.part(manager, project_id, revision, 'definitions');
    return JSON.parse(json.toString()) as LiveDefinitions;
  }

  /** The ids of the projects whose live script does not contain the text. */
  async withoutText(reader: Reader, text: Buffer): Promise<number[]> {
    const rows: { id: number }[] = await reader.query(
      `SELECT p.id FROM projects p
        WHERE p.deleted_at IS NULL AND p.snippet_revision > 0
          AND NOT EXISTS (SELECT 1 FROM publication_parts s
                           WHERE s.project_id = p.id AND s.revision = p.snippet_revision AND s.part = 'script'
                             AND INSTR(s.bytes, ?) > 0)
        ORDER BY p.id`,
      [text],
    );
    return rows.map(({ id }) => id);
  }

  async parts(manager: Reader, projectId: number, revision: number): Promise<PublicationParts> {
    const parts: Partial<PublicationParts> = {};
    for (const part of PUBLICATION_PARTS) {
      parts[part] = await this.part(manager, projectId, revision, part);
    }
    return parts as PublicationParts;
  }

  private async select(manager: Reader, where: string, parameters: number[]): Promise<PublicationRow[]> {
    const rows: (Omit<PublicationRow, 'created_at'> & { created_at: number | string })[] =
      await manager.query(`SELECT ${COLUMNS.join(', ')} FROM publications WHERE ${where}`, parameters);
    return rows.map((row) => ({ ...row, created_at: Number(row.created_at) }));
  }
}
