import type { OpenAPIObject } from '@nestjs/swagger';

/** Where the ids in paths come from, with an example of each that the demo has. */
const IDS: Readonly<Record<string, { source: string; example: number }>> = {
  team: { source: '`GET /api/teams`', example: 1 },
  project: { source: 'the list of the projects of a team', example: 1 },
  experiment: { source: 'the list of the experiments of the project', example: 1 },
  variation: { source: 'the list of the variations of the experiment', example: 2 },
  audience: { source: 'the list of the audiences of the project', example: 1 },
  page: { source: 'the list of the pages of the project', example: 2 },
  goal: { source: 'the list of the goals of the project', example: 3 },
  environment: { source: 'the list of the environments of the project', example: 1 },
};

/** The parts of paths that vary are ids, where nothing else is said. */
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
        description: `Id of the ${name}, from ${known.source}.`,
        schema: { type: 'integer', minimum: 1 },
        example: known.example,
      };
}
