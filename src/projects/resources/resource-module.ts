import { Module, type ModuleMetadata, type Provider, type Type } from '@nestjs/common';
import { Database } from '../../database/database';
import { ExperimentAttachments } from '../dependents';
import { ProjectItems } from '../project-items';
import { ProjectWriter } from '../project-writer';
import { ProjectWritesModule } from '../projects.module';
import { References } from './references';
import type { NamedFields, NamedRecord, ProjectItem, Resource, WritableResource } from './resource';
import { ResourceController } from './resource-controller';

/** The metadata of a resource's module. @param providers additional providers of the module */
export function moduleMetadata<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(resource: Resource<E, R, C, U>, controller: Type<object>, providers: Provider[] = []): ModuleMetadata {
  const items: Provider = {
    provide: resource.items,
    useFactory: (
      database: Database,
      writer: ProjectWriter,
      attachments: ExperimentAttachments,
      references: References,
    ) => new ProjectItems(database, writer, attachments, references, resource),
    inject: [Database, ProjectWriter, ExperimentAttachments, References],
  };
  return {
    imports: [ProjectWritesModule],
    controllers: [controller],
    providers: [items, ...providers],
    exports: [items, ...providers],
  };
}

/** The module of a resource that has no routes or services of its own. */
export function resourceModule<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(resource: WritableResource<E, R, C, U>): Type<object> {
  const { name } = resource.entity;

  @Module(moduleMetadata(resource, named(`${name}Controller`, ResourceController(resource))))
  class StandardModule {}

  return named(`${name}Module`, StandardModule);
}

/** Gives a class the name that logs and stack traces show. */
function named<T extends Type<object>>(name: string, type: T): T {
  Object.defineProperty(type, 'name', { value: name });
  return type;
}
