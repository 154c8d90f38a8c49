import { z } from 'zod';
import { projectId, teamId } from '../inputs';
import { listInput, listOutput, readPage } from '../listing';
import { defineTool, Tool } from '../tool';

/* Where experiments are: teams and their projects. */

const team = z.object({ id: z.int(), name: z.string() });

export const project = z.object({
  id: z.int(),
  team_id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  significance: z.number().describe('Percent: how certain a result must be.'),
  min_conversions: z
    .int()
    .describe('Conversions that a variation and the original must both have before there is a verdict.'),
  min_runtime_days: z.int().describe('Days that an experiment must have run before there is a verdict.'),
  statistics_method: z
    .string()
    .describe(
      'With `sequential`, verdicts hold however often one looks; other methods are for one planned look.',
    ),
  snippet_revision: z.int().describe('Counts publications that changed something; 0 = never published.'),
  snippet_url: z.string().describe('Address of the script that the site must carry.'),
});

const listTeams = defineTool({
  name: 'list_teams',
  title: 'List teams',
  description:
    'The teams that the owner of the token belongs to. Begin here: everything else is found by team.',
  effect: 'reads',
  input: z.strictObject(listInput),
  output: listOutput(team),
  run: (args, call) => readPage(call, args, { path: '/teams', record: team, called: 'teams' }),
});

const listProjects = defineTool({
  name: 'list_projects',
  title: 'List the projects of a team',
  description:
    'The projects (sites or products) of a team, with the rules by which the results of their experiments are judged.',
  effect: 'reads',
  input: z.strictObject({ ...teamId, ...listInput }),
  output: listOutput(project),
  run: ({ team_id, ...args }, call) =>
    readPage(call, args, { path: `/teams/${team_id}/projects`, record: project, called: 'projects' }),
});

/** A list of what experiments of a project are made of. */
function partsOf(called: string, description: string, record: z.ZodObject): Tool {
  return defineTool({
    name: `list_${called}`,
    title: `List the ${called} of a project`,
    description,
    effect: 'reads',
    input: z.strictObject({ ...projectId, ...listInput }),
    output: listOutput(record),
    run: ({ project_id, ...args }, call) =>
      readPage(call, args, { path: `/projects/${project_id}/${called}`, record, called }),
  });
}

const named = { id: z.int(), name: z.string(), description: z.string().nullable() };

export const goal = z.object({
  ...named,
  api_name: z.string().describe('What its events are called.'),
  type: z.string(),
  selector: z.string().nullable(),
  page_id: z.int().nullable(),
  value_type: z.string(),
  direction: z.string().describe('Which way is better.'),
});

export const page = z.object({
  ...named,
  api_name: z.string(),
  conditions: z.array(z.object({ match: z.string(), value: z.string(), negate: z.boolean() })),
  activation: z.string(),
});

export const audience = z.object({ ...named, conditions: z.unknown() });

export const placeTools: readonly Tool[] = [
  listTeams,
  listProjects,
  partsOf('goals', 'What experiments of the project are measured by. Attach them by id.', goal),
  partsOf('pages', 'Where experiments of the project may take place. Attach them by id.', page),
  partsOf(
    'audiences',
    'Which visitors experiments of the project may be limited to. Attach them by id; without one, everyone is eligible.',
    audience,
  ),
];
