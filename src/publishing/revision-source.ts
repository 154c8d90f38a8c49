import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { ExperimentNames } from './published-names.store';
import { DefinitionsStore } from './definitions.store';
import { PublicationBuilder } from './publication-builder';
import { Pointer, PublicationStore } from './publication.store';
import type { Revision } from './revision';

/** Reads live content from the database, independently of the management API. */
@Injectable()
export class RevisionSource {
  constructor(
    private readonly database: Database,
    private readonly store: PublicationStore,
    private readonly definitions: DefinitionsStore,
    private readonly builder: PublicationBuilder,
  ) {}

  /** The current revisions by client key. Unknown keys and keys of deleted projects are omitted. */
  pointers(clientKeys: readonly string[]): Promise<Map<string, Pointer>> {
    return this.store.pointers(this.database.delivery, clientKeys);
  }

  names(projectId: number): Promise<ExperimentNames> {
    return ExperimentNames.read(this.database.delivery, projectId);
  }

  /** A revision; null if it does not exist, because revision numbers have gaps after `db:after-restore`. */
  async load({ projectId, clientKey, revision }: Omit<Pointer, 'version'>): Promise<Revision | null> {
    const content =
      revision === 0 ? await this.beforeFirst(projectId, clientKey) : await this.content(projectId, revision);
    if (content === null) {
      return null;
    }
    const { all } = await this.names(projectId);
    return { projectId, clientKey, revision, names: all, ...content };
  }

  private async content(
    projectId: number,
    revision: number,
  ): Promise<Pick<Revision, 'sha256' | 'parts'> | null> {
    const reader = this.database.delivery;
    const row = await this.store.find(reader, projectId, revision);
    return row === null
      ? null
      : { sha256: row.sha256, parts: await this.store.parts(reader, projectId, revision) };
  }

  /**
   * The content before the first publication: a script without experiments. The site may already load this script, so
   * it accepts the commands that pages push.
   */
  private async beforeFirst(
    projectId: number,
    clientKey: string,
  ): Promise<Pick<Revision, 'sha256' | 'parts'>> {
    const definitions = await this.definitions.empty(this.database.delivery, projectId);
    const { row, parts } = await this.builder.build(definitions, clientKey);
    return { sha256: row.sha256, parts };
  }
}
