import { Injectable } from '@nestjs/common';
import { ValidationError } from '../../common/errors/api-errors';
import { PublicationHistory } from '../../publishing/changes/publication-history.service';
import type { PublicationPreview } from '../../publishing/changes/publication.record';

/** The changes of a publication at this moment, or why it cannot be built. */
export type Expected = { preview: PublicationPreview } | { problems: string[] };

/** Reads the expected changes for forms that publish. */
@Injectable()
export class ExpectedChanges {
  constructor(private readonly history: PublicationHistory) {}

  /** @param revision of a rollback; null to publish the definitions as they are now */
  async read(projectId: number, revision: number | null = null): Promise<Expected> {
    try {
      return { preview: await this.history.preview(projectId, revision) };
    } catch (error) {
      if (error instanceof ValidationError) {
        const { errors } = error.extra as { errors: Record<string, string[]> };
        return { problems: Object.values(errors).flat() };
      }
      throw error;
    }
  }
}
