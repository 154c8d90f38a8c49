import { Injectable } from '@nestjs/common';
import type { Permission } from '../platform/access/roles';
import type { ProjectScope } from '../platform/access/scope';
import { submit } from '../common/validation/submission';
import { CreateEnvironment, UpdateEnvironment } from '../resources/environments/environment.record';
import { ENVIRONMENTS } from '../resources/environments/environments.resource';
import { EnvironmentsService } from '../resources/environments/environments.service';
import type { Resource } from '../projects/resources/resource';
import { ResourceItems } from '../resources/registry';

/** Writes the records of a section by the services behind their routes, and so by their rules. */
export interface SectionWriter {
  /** The permission of the routes, if definitions need less. */
  permission: Permission | null;
  /** @returns its id */
  create(scope: ProjectScope, body: object): Promise<number>;
  update(scope: ProjectScope, body: object): Promise<unknown>;
  remove(scope: ProjectScope): Promise<void>;
}

@Injectable()
export class SectionWriters {
  constructor(
    private readonly resources: ResourceItems,
    private readonly environments: EnvironmentsService,
  ) {}

  /** @param freed finds the names that records give up, by id @throws Error for a resource without a writer */
  of(resource: Resource, freed: () => ReadonlyMap<number, string>): SectionWriter {
    const { writes, collection } = resource;
    if (collection === ENVIRONMENTS.collection) {
      return this.environmentWriter(freed);
    }
    if (writes === undefined) {
      throw new Error(`There is no writer for ${collection}.`);
    }
    const items = this.resources.of(resource);
    return {
      permission: null,
      create: async (scope, body) => (await items.create(scope, submit(writes.create, null, body))).record.id,
      update: (scope, body) => items.update(scope, submit(writes.update, null, body)),
      remove: (scope) => items.remove(scope),
    };
  }

  private environmentWriter(freed: () => ReadonlyMap<number, string>): SectionWriter {
    const { environments } = this;
    return {
      permission: 'environments:manage',
      create: async (scope, body) => {
        const submission = submit(CreateEnvironment, null, body);
        return (await environments.createInProject(scope, submission, freed())).record.id;
      },
      update: (scope, body) => environments.updateOne(scope, submit(UpdateEnvironment, null, body), freed()),
      remove: (scope) => environments.removeOne(scope),
    };
  }
}
