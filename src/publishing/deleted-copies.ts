import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { PublicationStore } from './publication.store';
import { PublishedProjects } from './published-projects';

/**
 * Removes the cached revisions of deleted projects, because delivery removes a cached revision only if a page still
 * requests the project. A copy on disk is kept if its project is neither in the trash nor in the memory of this
 * process, because other installations may use the same folder.
 */
@Injectable()
export class DeletedCopies {
  constructor(
    private readonly database: Database,
    private readonly store: PublicationStore,
    private readonly published: PublishedProjects,
  ) {}

  async remove(): Promise<void> {
    for (const clientKey of await this.store.deletedKeys(this.database.read)) {
      this.published.forget(clientKey);
    }
    await this.published.forgetDeleted();
  }
}
