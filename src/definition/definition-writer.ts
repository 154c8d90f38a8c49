import { Injectable } from '@nestjs/common';
import { type Permission, roleAllows } from '../platform/access/roles';
import { UnauthorizedRoleError } from '../common/errors/api-errors';
import { inTurns } from '../common/event-loop';
import { submit } from '../common/validation/submission';
import { isObject } from '../common/validation/values';
import type { ProjectScope } from '../platform/access/scope';
import { UpdateProject } from '../projects/project.record';
import { ProjectsService } from '../projects/projects.service';
import type { Resource } from '../projects/resources/resource';
import { UpdateProjectSettings } from '../projects/settings/project-settings.record';
import { ProjectSettingsService } from '../projects/settings/project-settings.service';
import { CreateEnvironment, UpdateEnvironment } from '../resources/environments/environment.record';
import { ENVIRONMENTS } from '../resources/environments/environments.resource';
import { EnvironmentsService, type Freed } from '../resources/environments/environments.service';
import { ResourceItems } from '../resources/registry';
import { Application, at, idIn, itemPath } from './application';
import { apiNameOf, Item, itemsIn } from './definition';
import { DEFINED, DefinitionField, fieldsIn, PROJECT_FIELDS, SETTINGS_FIELDS } from './definition-fields';
import { ExperimentWriter } from './experiment-writer';
import { toBody, writing } from './item-body';

/** Writes the records of a section with the services behind the individual routes, so the same rules apply. */
interface SectionWriter {
  /** The permission that the routes need; null if applying a definition already requires it. */
  permission: Permission | null;
  /** @returns the id of the new record */
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

  /**
   * The writer for a section.
   * @param freed returns what records give up because the document renames or deletes them
   * @throws Error for a resource without a writer
   */
  of(resource: Resource, freed: () => Freed): SectionWriter {
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

  private environmentWriter(freed: () => Freed): SectionWriter {
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

/** Applies a document to a project with the services behind the individual routes, so the same rules apply. */
@Injectable()
export class DefinitionWriter {
  constructor(
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly sections: SectionWriters,
    private readonly experiments: ExperimentWriter,
  ) {}

  /** Writes referenced records first, and deletes last. */
  async write(application: Application): Promise<void> {
    await this.writePart(application, 'project', PROJECT_FIELDS, (scope, body) =>
      this.projects.update(scope, submit(UpdateProject, null, body)),
    );
    await this.writePart(application, 'settings', SETTINGS_FIELDS, (scope, body) =>
      this.settings.update(scope, submit(UpdateProjectSettings, null, body)),
    );
    for (const resource of DEFINED) {
      await this.writeSection(application, resource);
    }
    await this.experiments.write(application);
    for (const resource of [...DEFINED].reverse()) {
      await this.prune(application, resource);
    }
  }

  /** Writes the project or its settings. If these change, they need a separate permission. */
  private async writePart(
    application: Application,
    part: 'project' | 'settings',
    fields: readonly DefinitionField[],
    write: (scope: ReturnType<typeof at>, body: object) => Promise<unknown>,
  ): Promise<void> {
    const { document, before, failures, scope } = application;
    const item = document[part];
    if (!isObject(item)) {
      return;
    }
    const body = toBody(
      { fields, item, current: before.definition[part], path: part },
      application,
      failures,
    );
    if (body === null || Object.keys(body).length === 0) {
      return;
    }
    if (!roleAllows(scope.role, 'project:settings')) {
      throw new UnauthorizedRoleError(scope.role, 'project:settings');
    }
    await writing({ path: part, fields }, failures, () => write(at(scope), body));
  }

  private async writeSection(application: Application, resource: Resource): Promise<void> {
    const { collection } = resource;
    const fields = fieldsIn(collection);
    for await (const [index, item] of inTurns(inWriteOrder(itemsIn(application.document, collection)))) {
      const current = application.current(collection, apiNameOf(item));
      const place = { fields, item, current, path: itemPath(collection, index) };
      const body = toBody(place, application, application.failures);
      if (body === null) {
        application.reject(collection, apiNameOf(item));
      } else if (current === null || Object.keys(body).length > 0) {
        await this.writeItem(application, resource, place, body);
      }
    }
  }

  private async writeItem(
    application: Application,
    resource: Resource,
    place: { fields: readonly DefinitionField[]; item: Item; current: Item | null; path: string },
    body: object,
  ): Promise<void> {
    const { collection } = resource;
    const { failures, scope } = application;
    const writer = this.permitted(application, resource);
    const apiName = apiNameOf(place.item);
    if (place.current === null) {
      const id = await writing(place, failures, () => writer.create(at(scope), body));
      application.created(collection, apiName, id);
    } else {
      const target = at(scope, idIn(application, collection, apiName));
      await writing(place, failures, () => writer.update(target, body));
    }
  }

  private async prune(application: Application, resource: Resource): Promise<void> {
    const { collection } = resource;
    for await (const apiName of inTurns(application.toPrune(collection))) {
      const writer = this.permitted(application, resource);
      const target = at(application.scope, idIn(application, collection, apiName));
      await application.removing(collection, apiName, () => writer.remove(target));
    }
  }

  /** The writer for a resource. @throws UnauthorizedRoleError if the role is not allowed to change the resource */
  private permitted(application: Application, resource: Resource): SectionWriter {
    const { role } = application.scope;
    const writer = this.sections.of(resource, () => application.freed(resource.collection));
    if (writer.permission !== null && !roleAllows(role, writer.permission)) {
      throw new UnauthorizedRoleError(role, writer.permission);
    }
    return writer;
  }
}

/**
 * The items with their document indexes. The default environment comes first, because setting a new default is the only
 * way to unset the old one.
 */
const inWriteOrder = (items: readonly Item[]): [number, Item][] =>
  [...items.entries()].sort(([, a], [, b]) => Number(b.is_default === true) - Number(a.is_default === true));
