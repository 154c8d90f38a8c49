import type { Role } from '../platform/access/roles';
import type { Collection } from '../platform/access/route-access';
import type { ProjectWrite } from './project-writer';

/* Interfaces through which projects and standard resources call the modules that depend on them. */

/** Creates the default environment of a new project. */
export abstract class DefaultEnvironment {
  abstract insertDefault(write: ProjectWrite): Promise<void>;
}

/** The experiments to which standard resources are attached. */
export abstract class ExperimentAttachments {
  /**
   * Detaches an item from all experiments before it is deleted. Adds a failure if a running or previewed experiment
   * needs it.
   */
  abstract release(write: ProjectWrite, collection: Collection, id: number): Promise<void>;

  /**
   * Checks the permission for a change that affects running experiments even without a publication.
   * @param fields the fields that would change
   * @throws UnauthorizedRoleError
   */
  abstract requirePermission(
    write: ProjectWrite,
    role: Role,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void>;

  /** Updates the experiments that show any of an item's changed fields. */
  abstract showChange(
    write: ProjectWrite,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void>;
}

/** The client keys that are cached in this process. All other processes check for changes within a second. */
export abstract class ClientKeyCache {
  /** Call this when a project's settings have changed or the project has been deleted. */
  abstract forget(projectId: number): void;
}
