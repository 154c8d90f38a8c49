import { Injectable } from '@nestjs/common';
import type { Automation } from '../../platform/access/actor';
import type { PathItem } from '../../platform/access/scope';
import type { PageRequest } from '../../common/lists/list-query';
import type { Micros } from '../../common/time/clock';
import { Database } from '../../database/database';
import type { PublicationReason } from '../publication.entity';
import type { NamedKind, NameOf } from './definition-changes';

/** A publication, with the current names of the user and the token that created it. */
export interface AuthoredPublication {
  revision: number;
  reason: PublicationReason;
  source_revision: number | null;
  user_id: number | null;
  user_name: string | null;
  token_id: number | null;
  token_name: string | null;
  automation: Automation | null;
  created_at: Micros;
  snippet_version: string;
  sha384: string;
  bytes: number;
  bytes_gzip: number;
}

/** Revision numbers are unique within a project. */
export const revisionPath: PathItem = {
  param: 'revision',
  table: 'publications',
  parentColumn: 'project_id',
  idColumn: 'revision',
  hasVersion: false,
};

/** The names of a project's items by id. They include deleted experiments, which earlier publications may contain. */
const NAMES: Readonly<Record<NamedKind, string>> = {
  experiments: 'SELECT id, name FROM experiments WHERE project_id = ?',
  variations:
    'SELECT v.id, v.name FROM variations v JOIN experiments e ON e.id = v.experiment_id WHERE e.project_id = ?',
  exclusion_groups: 'SELECT id, name FROM exclusion_groups WHERE project_id = ?',
  pages: 'SELECT id, name FROM pages WHERE project_id = ?',
  goals: 'SELECT id, name FROM goals WHERE project_id = ?',
  environments: 'SELECT id, name FROM environments WHERE project_id = ?',
};

/** Reads the publications of a project. */
@Injectable()
export class PublicationHistoryStore {
  constructor(private readonly database: Database) {}

  /** One page of the publications, newest first. */
  async list(projectId: number, { number, perPage }: PageRequest): Promise<AuthoredPublication[]> {
    type Row = Omit<AuthoredPublication, 'created_at'> & { created_at: number | string };
    const rows: Row[] = await this.database.read.query(
      `SELECT p.revision, p.reason, p.source_revision, p.user_id, u.name AS user_name, p.token_id,
              t.name AS token_name, p.automation, p.created_at, p.snippet_version, p.sha384, p.bytes, p.bytes_gzip
         FROM publications p
         LEFT JOIN users u ON u.id = p.user_id
         LEFT JOIN api_tokens t ON t.id = p.token_id
        WHERE p.project_id = ? ORDER BY p.revision DESC LIMIT ${perPage} OFFSET ${(number - 1) * perPage}`,
      [projectId],
    );
    return rows.map((row) => ({ ...row, created_at: Number(row.created_at) }));
  }

  async count(projectId: number): Promise<number> {
    const [{ total }]: { total: number | string }[] = await this.database.read.query(
      'SELECT COUNT(*) AS total FROM publications WHERE project_id = ?',
      [projectId],
    );
    return Number(total);
  }

  /** The current names of the items in a project. */
  async names(projectId: number): Promise<NameOf> {
    const known = new Map<NamedKind, Map<number, string>>();
    for (const kind of Object.keys(NAMES) as NamedKind[]) {
      const rows: { id: number; name: string }[] = await this.database.read.query(NAMES[kind], [projectId]);
      known.set(kind, new Map(rows.map(({ id, name }) => [id, name])));
    }
    return (kind, id, otherwise) => known.get(kind)?.get(id) ?? otherwise;
  }
}
