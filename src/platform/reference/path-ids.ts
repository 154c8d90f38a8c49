import type { OpenAPIObject } from '@nestjs/swagger';
import { SAMPLE_IDS, SAMPLE_VISITOR } from '../../common/openapi/sample-ids';
import { RESOURCES } from '../../resources/registry';

/** Path parameters that are not record ids. */
const OTHERS: Readonly<Record<string, object>> = {
  visitor: {
    description:
      "One of the visitor's ids, as your site or app sends it: 1 to 64 printable ASCII characters.",
    schema: { type: 'string' },
    example: SAMPLE_VISITOR,
  },
};

/** For each path parameter, the operation that returns its ids, and an example id from the demo. */
const IDS: Readonly<Record<string, { source: string; example: number }>> = {
  team: { source: '`GET /api/teams`', example: 1 },
  user: { source: 'the member list of the team (`user_id`)', example: SAMPLE_IDS.user },
  project: { source: 'the project list of a team', example: 1 },
  experiment: { source: 'the experiment list of the project', example: SAMPLE_IDS.experiment },
  entry: { source: 'the audit log of the project', example: 1207 },
  revision: { source: 'the publications of the project', example: SAMPLE_IDS.revision },
  webhook: { source: 'the webhook list of the project', example: 1 },
  delivery: { source: 'the deliveries of the webhook', example: 1 },
  variation: { source: 'the variation list of the experiment', example: SAMPLE_IDS.variation },
  ...Object.fromEntries(
    RESOURCES.map(({ type, plural, record }) => [
      type,
      { source: `the list of the project's ${plural}`, example: record.example.id },
    ]),
  ),
};

/** Describes path parameters in all paths that do not declare their own. */
export function describePathIds(paths: OpenAPIObject['paths']): void {
  for (const [path, item] of Object.entries(paths)) {
    const ids = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => pathId(name));
    if (ids.length > 0) {
      item.parameters ??= ids;
    }
  }
}

function pathId(name: string) {
  const other = OTHERS[name];
  if (other !== undefined) {
    return { name, in: 'path' as const, required: true, ...other };
  }
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
