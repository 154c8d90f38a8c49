import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { PublicationStore } from './publication.store';
import { RevisionCache } from './revision-cache';

/**
 * The copies on disk of projects in the trash. Delivery removes a copy only if a page still asks for it. Copies of unknown
 * projects stay: other installations may use the same folder.
 */
@Injectable()
export class DeletedCopies {
  constructor(
    private readonly database: Database,
    private readonly store: PublicationStore,
    private readonly cache: RevisionCache,
  ) {}

  async remove(): Promise<void> {
    for (const clientKey of await this.store.deletedKeys(this.database.read)) {
      this.cache.remove(clientKey);
    }
  }
}
