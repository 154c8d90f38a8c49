import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { PreviewLinks } from '../experiments/variations/preview-links';
import { buildPreview } from './build/publication-content';
import { DefinitionsStore } from './definitions.store';
import { PublicationStore } from './publication.store';

/**
 * The scripts of preview links. Each one shows a variation as currently defined, even if that definition is not
 * published.
 */
@Injectable()
export class PreviewScripts {
  constructor(
    private readonly database: Database,
    private readonly links: PreviewLinks,
    private readonly store: PublicationStore,
    private readonly reader: DefinitionsStore,
    private readonly config: Config,
  ) {}

  /**
   * The script for the token in a preview link; null if the token is not from this project or has been revoked, or if
   * the variation cannot be previewed.
   */
  async find(clientKey: string, token: string): Promise<Buffer | null> {
    const variationId = this.links.variationNamedBy(token);
    if (variationId === null) {
      return null;
    }
    const row = await this.store.previewed(this.database.read, clientKey, variationId);
    if (row === null || !this.links.isValid(token, variationId, row.preview_version)) {
      return null;
    }
    const { project_id, experiment_id } = row;
    const definitions = await this.reader.single(this.database.read, project_id, experiment_id, null);
    return buildPreview(definitions, { host: this.config.publicUrl, clientKey }, variationId);
  }
}
