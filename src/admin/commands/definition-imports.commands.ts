import { isObject, isTooDeep } from '../../common/validation/values';
import type { ImportReport, ImportTarget } from '../../definition/imports/definition-imports.service';
import type { Json } from '../../definition/imports/export-values';
import type { ImportPlan } from '../../definition/imports/import-plan';
import type { Services } from '../application';
import { addCommand, CommandGroup } from '../command';
import { file, flag, id, listOf, name, oneOf, optional, required, textIn } from '../options';
import { printableLine } from '../output';
import { RefusedError, UsageError } from '../refusals';
import { requireProject, requireTeam } from './lookups';

const FORMATS = {
  growthbook: 'REST API responses with experiments, features, metrics or savedGroups; SDK payloads',
  optimizely: 'datafiles from Feature Experimentation and Full Stack, versions 2 to 4',
};

type Format = keyof typeof FORMATS;

const DETAILS = [
  'Creates audiences, goals and draft experiments in one transaction, and lists everything that has no equivalent in Gosset, with the reason',
  'Existing goals and experiments with the same API name, and audiences with the same name, are not changed, so importing twice creates no duplicates',
  "With --team and --name, imports into the team's project with this name, and creates the project if it does not exist",
].join('. ');

async function documentIn(path: string): Promise<Json> {
  const text = await textIn(path);
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document) && !isTooDeep(document)) {
      return document;
    }
  } catch {
    // The file is not JSON; the error below says so.
  }
  throw new RefusedError(`${path} is not a JSON object.`);
}

async function planOf(format: Format, paths: readonly string[]): Promise<ImportPlan> {
  const documents = await Promise.all(paths.map(documentIn));
  const { UnreadableExport } = await import('../../definition/imports/import-plan.js');
  const { readGrowthBook } = await import('../../definition/imports/growthbook/growthbook.js');
  const { readOptimizely } = await import('../../definition/imports/optimizely/optimizely.js');
  try {
    return (format === 'growthbook' ? readGrowthBook : readOptimizely)(documents);
  } catch (error) {
    throw error instanceof UnreadableExport ? new RefusedError(error.message) : error;
  }
}

interface Given {
  project?: number;
  team?: number;
  name?: string;
}

async function targetOf(
  services: Services,
  { project, team, name: projectName }: Given,
): Promise<ImportTarget> {
  if (project !== undefined && team === undefined && projectName === undefined) {
    await requireProject(services, project);
    return { projectId: project };
  }
  if (project === undefined && team !== undefined && projectName !== undefined) {
    await requireTeam(services, team);
    return { teamId: team, name: projectName };
  }
  throw new UsageError('Pass either --project, or --team and --name.');
}

async function run(services: Services, plan: ImportPlan, target: ImportTarget, isDryRun: boolean) {
  const { AmbiguousProject } = await import('../../definition/imports/definition-imports.service.js');
  try {
    return await services.definitionImports.run(plan, target, isDryRun);
  } catch (error) {
    throw error instanceof AmbiguousProject ? new RefusedError(`${error.message} Give --project.`) : error;
  }
}

export function addDefinitionImportCommands(group: CommandGroup): void {
  addCommand(group, {
    name: 'project:import',
    summary: 'Import definitions from another product',
    details: DETAILS,
    options: {
      format: required('--format <format>', 'the other product', oneOf(FORMATS)),
      file: required('--file <file>', 'exported JSON file; repeatable', listOf(file)),
      project: optional('--project <id>', 'id of an existing project', id),
      team: optional('--team <id>', "id of the project's team", id),
      name: optional('--name <name>', 'name of the project', name),
      dryRun: flag('--dry-run', 'print what the import would do, without storing anything'),
    },
    examples: [
      '--format growthbook --file experiments.json --file metrics.json --team 1 --name Shop --dry-run',
      '--format optimizely --file datafile.json --project 1',
    ],
    run: async ({ format, file: paths, dryRun, ...given }, context) => {
      const plan = await planOf(format, paths);
      const services = await context.services();
      return run(services, plan, await targetOf(services, given), dryRun);
    },
    show: textOf,
  });
}

function textOf({ dry_run, project_id, created, existing, not_taken }: ImportReport): string {
  const line = (title: string, names: ImportReport['created']): string =>
    `${title}: ${Object.entries(names)
      .map(
        ([kind, list]: [string, string[]]) =>
          `${list.length} ${(list.length === 1 ? kind.replace(/s$/, '') : kind).replaceAll('_', ' ')}`,
      )
      .join(', ')}`;
  const left = not_taken.map(({ kind, name: of, part, reason }) =>
    printableLine(`- ${kind} ${of}${part === null ? '' : `, ${part}`}: ${reason}`),
  );
  return [
    ...(dry_run ? ['Dry run: nothing was stored.'] : []),
    `Project: ${project_id ?? 'new'}`,
    line('Created', created),
    line('Already existed', existing),
    ...(left.length === 0 ? ['Everything was imported.'] : ['Not imported:', ...left]),
  ].join('\n');
}
