import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { PreviewLinks } from '../variations/preview-links';
import { buildPreview } from './build/publication-content';
import { DefinitionsReader } from './definitions-reader';

interface PreviewedRow {
  experiment_id: number;
  project_id: number;
}

/** The scripts behind preview links: one variation as it is defined now, published or not. */
@Injectable()
export class PreviewScripts {
  constructor(
    private readonly database: Database,
    private readonly links: PreviewLinks,
    private readonly reader: DefinitionsReader,
    private readonly config: Config,
  ) {}

  /** The script for the token of a link; null when the token is not one of the project, or nothing may be shown. */
  async find(clientKey: string, token: string): Promise<Buffer | null> {
    const variationId = this.links.variationOf(token);
    if (variationId === null) {
      return null;
    }
    const [row]: PreviewedRow[] = await this.database.read.query(
      `SELECT e.id AS experiment_id, p.id AS project_id FROM variations v
         JOIN experiments e ON e.id = v.experiment_id AND e.deleted_at IS NULL AND e.status <> 'archive'
         JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
        WHERE v.id = ? AND p.client_key = ?`,
      [variationId, clientKey],
    );
    if (row === undefined) {
      return null;
    }
    const { project_id, experiment_id } = row;
    const definitions = await this.reader.single(this.database.read, project_id, experiment_id, null);
    return buildPreview(definitions, { host: this.config.publicUrl, clientKey }, variationId);
  }
}
