import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/config';
import type { Resource, WritableResource } from '../projects/resources/resource';
import { buildOperations } from '../platform/reference/reference';
import type { ToolResource, ToolSource } from './tool-source';

const isWritable = (resource: Resource): resource is WritableResource => resource.writes !== undefined;

function toolResource(resource: Resource): ToolResource {
  const { type, collection, plural, record, readTexts } = resource;
  const writes = isWritable(resource)
    ? { create: resource.writeTexts.create.id, update: resource.writeTexts.patch.id }
    : {};
  return {
    type,
    collection,
    plural,
    record: record.name,
    list: readTexts.list.id,
    show: readTexts.show.id,
    ...writes,
  };
}

/** The input from which the tools are built: operations from the reference, and resources that allow tools. */
export function toolSource(
  app: INestApplication,
  config: Config,
  resources: readonly Resource[],
): ToolSource {
  const { paths, components } = buildOperations(app, config);
  return {
    paths: paths as ToolSource['paths'],
    schemas: (components?.schemas ?? {}) as ToolSource['schemas'],
    resources: resources.filter(({ tools }) => tools !== false).map(toolResource),
  };
}
