import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { piecesOf } from '../database/pieces';
import type { Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import type { LiveDefinitions } from './definitions';
import { Publication, PUBLICATION_PARTS, PublicationPartName } from './publication.entity';

export type PublicationRow = Omit<Publication, 'id' | 'project'>;

/** What a publication was built from, and what it consists of: JSON and scripts. */
export type PublicationParts = Record<PublicationPartName, Buffer>;

const COLUMNS = [
  'project_id',
  'revision',
  'reason',
  'source_revision',
  'user_id',
  'token_id',
  'created_at',
  'snippet_version',
  'digest',
  'sha256',
  'sha384',
  'bytes',
  'bytes_gzip',
  'bytes_brotli',
] as const satisfies (keyof PublicationRow)[];

/** Keeps publications: rows are added and never change. */
@Injectable()
export class PublicationStore {
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

  /** The revisions of a project, the latest first. @param limit how many at most */
  async list(manager: EntityManager, projectId: number, limit = 1_000_000): Promise<PublicationRow[]> {
    return this.select(manager, `project_id = ? ORDER BY revision DESC LIMIT ${limit}`, [projectId]);
  }

  /** The latest revision; null before the first one. */
  async latest(manager: EntityManager, projectId: number): Promise<PublicationRow | null> {
    const [row] = await this.list(manager, projectId, 1);
    return row ?? null;
  }

  async find(manager: EntityManager, projectId: number, revision: number): Promise<PublicationRow | null> {
    const [row] = await this.select(manager, 'project_id = ? AND revision = ?', [projectId, revision]);
    return row ?? null;
  }

  /** A part of a publication as a whole. */
  async part(
    manager: EntityManager,
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

  /** What the latest revision was built from; null before the first one. */
  async latestDefinitions(manager: EntityManager, projectId: number): Promise<LiveDefinitions | null> {
    const latest = await this.latest(manager, projectId);
    return latest === null ? null : this.definitions(manager, latest);
  }

  /** What a revision was built from. */
  async definitions(
    manager: EntityManager,
    { project_id, revision }: Pick<PublicationRow, 'project_id' | 'revision'>,
  ): Promise<LiveDefinitions> {
    const json = await this.part(manager, project_id, revision, 'definitions');
    return JSON.parse(json.toString()) as LiveDefinitions;
  }

  async parts(manager: EntityManager, projectId: number, revision: number): Promise<PublicationParts> {
    const parts: Partial<PublicationParts> = {};
    for (const part of PUBLICATION_PARTS) {
      parts[part] = await this.part(manager, projectId, revision, part);
    }
    return parts as PublicationParts;
  }

  private async select(
    manager: EntityManager,
    where: string,
    parameters: number[],
  ): Promise<PublicationRow[]> {
    const rows: (Omit<PublicationRow, 'created_at'> & { created_at: number | string })[] =
      await manager.query(`SELECT ${COLUMNS.join(', ')} FROM publications WHERE ${where}`, parameters);
    return rows.map((row) => ({ ...row, created_at: Number(row.created_at) }));
  }
}
