import { type FactoryProvider, Global, Module } from '@nestjs/common';
import { AUDIENCES } from './audiences/audiences.resource';
import { EnvironmentsModule } from './environments/environments.module';
import { ENVIRONMENTS } from './environments/environments.resource';
import { EXCLUSION_GROUPS } from './exclusion-groups/exclusion-groups.resource';
import { GOALS } from './goals/goals.resource';
import { PAGES } from './pages/pages.resource';
import type { NamedRecord, ProjectItem, Resource } from '../projects/resources/resource';
import type { ProjectItems } from '../projects/project-items';
import { References } from '../projects/resources/references';
import { resourceModule } from '../projects/resources/resource-module';

/** All standard resources. A resource comes after the resources that it references. */
const REGISTRY = [
  { resource: ENVIRONMENTS, module: EnvironmentsModule },
  { resource: AUDIENCES, module: resourceModule(AUDIENCES) },
  { resource: PAGES, module: resourceModule(PAGES) },
  { resource: GOALS, module: resourceModule(GOALS) },
  { resource: EXCLUSION_GROUPS, module: resourceModule(EXCLUSION_GROUPS) },
];

export const RESOURCES: readonly Resource[] = REGISTRY.map(({ resource }) => resource);

/** This module is global because the resources' modules, which the registry contains, need all declarations. */
@Global()
@Module({
  providers: [{ provide: References, useFactory: () => new References(RESOURCES) }],
  exports: [References],
})
class ReferencesModule {}

export const RESOURCE_MODULES = [ReferencesModule, ...REGISTRY.map(({ module }) => module)];

type Items = ProjectItems<ProjectItem, NamedRecord>;

/** The operations of every standard resource. */
export class ResourceItems {
  constructor(private readonly all: readonly Items[]) {}

  of(resource: Resource): Items {
    const items = this.all[RESOURCES.indexOf(resource)];
    if (items === undefined) {
      throw new Error(`${resource.collection} is not in the registry.`);
    }
    return items;
  }
}

/** Provides `ResourceItems` to modules that import `RESOURCE_MODULES`. */
export const resourceItemsProvider: FactoryProvider<ResourceItems> = {
  provide: ResourceItems,
  useFactory: (...all: Items[]) => new ResourceItems(all),
  inject: RESOURCES.map(({ items }) => items),
};
