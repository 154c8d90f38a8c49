import type { ModuleMetadata, Provider, Type } from '@nestjs/common';
import { Database } from '../../database/database';
import { ExperimentAttachments } from '../dependents';
import { ProjectItems } from '../project-items';
import { ProjectWriter } from '../project-writer';
import { ProjectWritesModule } from '../projects.module';
import type { NamedFields, NamedRecord, ProjectItem, Resource } from './resource';

/** The metadata of a standard resource's module. @param providers further providers of the area */
export function resourceModule<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(resource: Resource<E, R, C, U>, controller: Type<object>, providers: Provider[] = []): ModuleMetadata {
  const items: Provider = {
    provide: resource.items,
    useFactory: (database: Database, writer: ProjectWriter, attachments: ExperimentAttachments) =>
      new ProjectItems(database, writer, attachments, resource),
    inject: [Database, ProjectWriter, ExperimentAttachments],
  };
  return {
    imports: [ProjectWritesModule],
    controllers: [controller],
    providers: [items, ...providers],
    exports: [items, ...providers],
  };
}
