import type { OpenAPIObject } from '@nestjs/swagger';
import { RESOURCES } from '../resources/registry';

/** The operation that returns the ids of a path parameter, with an example id from the demo. */
const IDS: Readonly<Record<string, { source: string; example: number }>> = {
  team: { source: '`GET /api/teams`', example: 1 },
  project: { source: 'the project list of a team', example: 1 },
  experiment: { source: 'the experiment list of the project', example: 1 },
  variation: { source: 'the variation list of the experiment', example: 2 },
  ...Object.fromEntries(
    RESOURCES.map(({ type, plural, record }) => [
      type,
      { source: `the list of the project's ${plural}`, example: record.example.id },
    ]),
  ),
};

/** Describes path parameters as ids, unless the path declares its own parameters. */
export function describePathIds(paths: OpenAPIObject['paths']): void {
  for (const [path, item] of Object.entries(paths)) {
    const ids = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => pathId(name));
    if (ids.length > 0) {
      item.parameters ??= ids;
    }
  }
}

function pathId(name: string) {
  const known = IDS[name];
  return known === undefined
    ? []
    : {
        name,
        in: 'path' as const,
        required: true,
        description: `Id of the ${name.replaceAll('_', ' ')}, from ${known.source}.`,
        schema: { type: 'integer', minimum: 1 },
        example: known.example,
      };
}
