import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  properties?: Record<string, { default?: unknown }>;
}

/**
 * Removes the defaults from the schemas of update bodies. In a schema, a default is the value that an absent field
 * gets, but an update leaves absent fields unchanged. Tools that apply defaults would reset the record.
 */
export function removeUpdateDefaults({ paths, components }: OpenAPIObject): void {
  for (const { patch, put } of Object.values(paths)) {
    for (const operation of [patch, put]) {
      const content = operation?.requestBody as { content?: Record<string, { schema?: Schema }> } | undefined;
      for (const { schema } of Object.values(content?.content ?? {})) {
        const name = schema?.$ref?.split('/').at(-1);
        const body = name === undefined ? schema : (components?.schemas?.[name] as Schema | undefined);
        Object.values(body?.properties ?? {}).forEach((property) => delete property.default);
      }
    }
  }
}
