import { LISTING, readPage } from '../listing';
import type { Reference } from '../reference';
import { defineTool, Tool } from '../tool';

/* Teams and their projects, which contain the experiments. */

export const PROJECT = {
  id: true,
  team_id: true,
  name: true,
  description: true,
  significance: true,
  min_conversions: true,
  min_runtime_days: true,
  statistics_method: true,
  snippet_revision: true,
  snippet_url: true,
} as const;

export function placeTools(reference: Reference): readonly Tool[] {
  const teams = reference.shapes<object>('TeamRecord', { id: true, name: true });
  const projects = reference.shapes<object>('ProjectRecord', PROJECT);
  return [
    defineTool(reference, {
      name: 'list_teams',
      title: 'List teams',
      description: 'The teams of the token owner. Start here.',
      effect: 'reads',
      operation: 'listTeams',
      ...LISTING,
      run: (args, api) => readPage(api, args, { shape: teams, called: 'teams' }),
    }),
    defineTool(reference, {
      name: 'list_projects',
      title: 'List the projects',
      description: 'The projects (sites or products) of a team, with their rules for results.',
      effect: 'reads',
      operation: 'listProjects',
      ...LISTING,
      run: (args, api) => readPage(api, args, { shape: projects, called: 'projects' }),
    }),
  ];
}
