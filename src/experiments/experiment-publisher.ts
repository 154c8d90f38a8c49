import type { Submission } from '../common/validation/submission';
import type { ProjectWrite, WriteScope } from '../projects/project-writer';

/** Stores the publication that results from a write. @returns whether it is a new revision */
export type Publish = () => Promise<boolean>;

/** Changes a project in one transaction and calls `publish`. The work can run several times. */
export type PublishingWork<T> = (write: ProjectWrite, publish: Publish) => Promise<T>;

/**
 * Publishes and unpublishes experiments. The experiments module uses this interface; the publishing module, which
 * depends on experiments, implements it.
 *
 * Both methods work like `ProjectWriter.change`. They build the publication before the transaction, as if the
 * experiment had been started or stopped. If the project has changed in the meantime, nothing is stored, the
 * publication is built again, and the work is retried.
 */
export abstract class ExperimentPublisher {
  /** @throws ValidationError from `publish` if the experiment cannot go live */
  abstract starting<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    experimentId: number,
    work: PublishingWork<T>,
  ): Promise<T>;

  /** `publish` does nothing if the experiment is not live. */
  abstract stopping<T>(
    scope: WriteScope,
    submission: Submission<object> | null,
    experimentId: number,
    work: PublishingWork<T>,
  ): Promise<T>;
}
