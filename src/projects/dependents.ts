import type { Collection } from '../access/route-access';
import type { ProjectWrite } from './project-writer';

/* What projects ask of areas that build on them, and that provide it by these names. */

/** Gives new projects the environment that every project has. */
export abstract class DefaultEnvironment {
  abstract insertDefault(write: ProjectWrite): Promise<void>;
}

/** The experiments that standard resources are attached to. */
export abstract class ExperimentAttachments {
  /**
   * An item is about to be deleted. It is detached from all experiments, and refused by a failure while a running or
   * previewed experiment needs it.
   */
  abstract release(write: ProjectWrite, collection: Collection, id: number): Promise<void>;

  /** An item has changed, and with it the experiments that show one of these fields. */
  abstract showChange(
    write: ProjectWrite,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void>;
}

/** What this process remembers of client keys; other processes look again within a second. */
export abstract class ClientKeyCache {
  /** The settings of a project have changed, or it was deleted. */
  abstract forget(projectId: number): void;
}
