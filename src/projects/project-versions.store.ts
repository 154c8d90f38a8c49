import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AnswerSources, Collection } from '../platform/access/route-access';
import { Database, Tx } from '../database/database';
import { countingDuplicates } from '../database/dialect';
import { countRows, placeholders } from '../database/row-store';

/** Notifies the caches in this process about changed projects. Other processes read the version from the database. */
@Injectable()
export class ProjectChanges {
  private readonly listeners: ((projectId: number) => void)[] = [];

  /**
   * Adds a listener that is called after each attempt to write inside a project, whether or not the write was
   * committed.
   */
  listen(listener: (projectId: number) => void): void {
    this.listeners.push(listener);
  }

  announce(projectId: number): void {
    this.listeners.forEach((listener) => listener(projectId));
  }
}

/** The version for responses that change with every write in the project. */
export const DEFINITION_SOURCES: AnswerSources = {
  space: 'definition',
  param: 'project',
  joins: 'JOIN project_versions v ON v.project_id = ?',
  versions: ['v.version'],
  lasts: '0',
};

/** The versions that count writes inside a project and are used for ETags. */
@Injectable()
export class ProjectVersionsStore {
  private readonly countingUp: string;

  constructor(private readonly database: Database) {
    this.countingUp = countingDuplicates(database.engine, ['project_id', 'collection'], 'version');
  }

  /**
   * Locks a project's version row, after waiting for concurrent changes to the project. Each write increments the
   * version at its end, so two writes on different cluster nodes conflict.
   * @returns the version of the project; null if the project does not exist or is deleted
   */
  async lock(tx: Tx, projectId: number): Promise<number | null> {
    const [row]: { version: number }[] = await tx.query(
      `SELECT version FROM project_versions WHERE project_id = ?${this.database.forUpdate}`,
      [projectId],
    );
    const live: unknown[] = await tx.query('SELECT id FROM projects WHERE id = ? AND deleted_at IS NULL', [
      projectId,
    ]);
    return row === undefined || live.length === 0 ? null : row.version;
  }

  /** The versions of the given projects that exist and are not deleted, by project id. */
  async ofLiveProjects(
    manager: EntityManager,
    projectIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const rows: { id: number; version: number }[] = await manager.query(
      `SELECT p.id, v.version FROM projects p JOIN project_versions v ON v.project_id = p.id
        WHERE p.id IN (${placeholders(projectIds.length)}) AND p.deleted_at IS NULL`,
      [...projectIds],
    );
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  /**
   * Ensures that a project keeps this version until the transaction commits, on all cluster nodes.
   * @returns false if the version has changed
   */
  async holdVersion(tx: Tx, projectId: number, version: number): Promise<boolean> {
    const found = await countRows(
      tx,
      'UPDATE project_versions SET lock_version = lock_version + 1 WHERE project_id = ? AND version = ?',
      [projectId, version],
    );
    return found > 0;
  }

  /**
   * Increments the project version, then the versions of changed collections. The project row comes first, so
   * concurrent writers conflict there, even on two cluster nodes, before they change collection versions.
   */
  async countUp(tx: Tx, projectId: number, collections: ReadonlySet<Collection>): Promise<void> {
    await tx.query('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [projectId]);
    const counted = [...collections].filter((collection) => collection !== 'record').sort();
    if (counted.length > 0) {
      await tx.query(
        `INSERT INTO collection_versions (project_id, collection, version)
         VALUES ${counted.map(() => '(?, ?, 2)').join(', ')} ${this.countingUp}`,
        counted.flatMap((collection) => [projectId, collection]),
      );
    }
    if (collections.has('record')) {
      await tx.query(
        'UPDATE teams SET projects_version = projects_version + 1 WHERE id = (SELECT team_id FROM projects WHERE id = ?)',
        [projectId],
      );
    }
  }

  /** The version of a record in a project; null if it does not exist. */
  async ofRecord(tx: Tx, table: string, id: number): Promise<number | null> {
    const [row]: { version: number }[] = await tx.query(`SELECT version FROM ${table} WHERE id = ?`, [id]);
    return row?.version ?? null;
  }
}
