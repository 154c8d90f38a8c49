import type { Deletion } from '../../events/deletions/visitor-deletion.service';
import type { ExclusionRecord } from '../../events/exclusions/exclusions.service';
import type { Criteria } from '../../events/exclusions/matching-visitors';
import type { Services } from '../application';
import { addCommand, CommandGroup } from '../command';
import { file, flag, id, moment, optional, required, visitorId, checkPeriod, textIn } from '../options';
import { counted, recordText, tableText } from '../output';
import { RefusedError, UsageError } from '../refusals';
import { orNoSuch, requireProject, requireScope } from './lookups';

const DETAILS = [
  'Selects visitors by a list of ids in a file, or by the time of their first exposure (--from inclusive, --until exclusive), in one experiment or in the whole project. Without --yes, it only prints how many visitors match',
  'Their events are stored but not counted until visitors:include reverts the exclusion',
  'The server can keep running. To resume an interrupted command, run it again',
].join('. ');

interface Given {
  idsFile?: string;
  from?: number;
  until?: number;
}

/** The result of `visitors:exclude`. If `exclusion` is null, nothing has changed. */
interface Outcome {
  project_id: number;
  experiment_id: number | null;
  /** Number of lines with an id in the file; null without a file. */
  ids: number | null;
  visitors: number;
  exclusion: ExclusionRecord | null;
}

/** The visitor ids in a file with one id on each line. Empty lines are skipped. */
async function idsIn(path: string): Promise<string[]> {
  const { isVisitorId } = await import('../../events/visitor-id.js');
  const { storedVisitor } = await import('../../events/visitors.js');
  const lines = (await textIn(path)).split(/\r?\n/);
  const wrong = lines.findIndex((line) => line !== '' && !isVisitorId(line));
  if (wrong !== -1) {
    throw new RefusedError(
      `Line ${wrong + 1} of ${path} is not a visitor id: 1 to 64 printable ASCII characters.`,
    );
  }
  return lines.filter((line) => line !== '').map(storedVisitor);
}

async function criteriaOf({ idsFile, from, until }: Given): Promise<Criteria> {
  const hasTimes = from !== undefined || until !== undefined;
  if ((idsFile !== undefined) === hasTimes) {
    throw new UsageError('Pass either --ids-file, or one or both of --from and --until.');
  }
  if (idsFile !== undefined) {
    return { ids: await idsIn(idsFile) };
  }
  checkPeriod({ from, until });
  return { from: from ?? null, until: until ?? null };
}

/** Explains how to resume an interrupted command, or says that another command has ended the exclusion. */
async function refusingUnfinished<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { ExclusionEndedError, ExclusionUnsettledError } =
      await import('../../events/exclusions/exclusions.service.js');
    const isRefusal = error instanceof ExclusionUnsettledError || error instanceof ExclusionEndedError;
    throw isRefusal ? new RefusedError(error.message) : error;
  }
}

function outcomeText({ ids, visitors, exclusion }: Outcome): string {
  const preview =
    visitors === 0
      ? 'There are no visitors to exclude. Nothing was changed.'
      : `${counted(visitors, 'visitor')} would be excluded. Nothing was changed; add --yes to exclude them.`;
  const outcome =
    exclusion === null
      ? preview
      : `Excluded ${counted(exclusion.visitors, 'visitor')}. To undo it: visitors:include --exclusion ${exclusion.id}`;
  return ids === null
    ? outcome
    : `${outcome}\nThe file has ${counted(ids, 'id')}; ids of visitors without an exposure so far are skipped.`;
}

function addExclude(group: CommandGroup): void {
  addCommand(group, {
    name: 'visitors:exclude',
    summary: 'Exclude forged visitors from results',
    details: DETAILS,
    options: {
      project: required('--project <id>', 'id of the project', id),
      experiment: optional(
        '--experiment <id>',
        'id of the experiment; by default, all experiments in the project',
        id,
      ),
      idsFile: optional('--ids-file <file>', 'file with one visitor id per line', file),
      from: optional('--from <moment>', 'only visitors first exposed at or after this time', moment),
      until: optional('--until <moment>', 'only visitors first exposed before this time', moment),
      yes: flag('--yes', 'exclude the visitors'),
    },
    examples: [
      '--project 1 --from 2026-05-01T09:30:00Z --until 2026-05-01T10:00:00Z',
      '--project 1 --from 2026-05-01T09:30:00Z --until 2026-05-01T10:00:00Z --yes',
      '--project 1 --experiment 12 --ids-file visitors.txt --yes --json',
    ],
    run: async ({ project, experiment, yes, ...given }, context, progress): Promise<Outcome> => {
      const criteria = await criteriaOf(given);
      const services = await context.services();
      await requireScope(services, project, experiment);
      const scope = { projectId: project, experimentId: experiment ?? null, criteria };
      const visitors = await services.exclusions.count(scope);
      const show = progress.show('Excluding visitors');
      const exclusion =
        yes && visitors > 0
          ? await refusingUnfinished(services.exclusions.exclude(scope, visitors, show))
          : null;
      const ids = 'ids' in criteria ? criteria.ids.length : null;
      return { project_id: project, experiment_id: experiment ?? null, ids, visitors, exclusion };
    },
    show: outcomeText,
  });
}

/** How much data is stored about a visitor, and whether it has been deleted. */
interface Removal {
  project_id: number;
  ids: number;
  events: number;
  deleted: boolean;
}

/** @throws RefusedError if no data is stored for the visitor */
async function deleteVisitor(
  services: Services,
  projectId: number,
  visitor: string,
  isWanted: boolean,
): Promise<Deletion> {
  const { storedVisitor } = await import('../../events/visitors.js');
  const { visitorDeletions } = services;
  const id = storedVisitor(visitor);
  const work = isWanted
    ? visitorDeletions.delete({ projectId, author: 'admin' }, id)
    : visitorDeletions.preview(projectId, id);
  const deletion = await orNoSuch(`visitor ${visitor} in project ${projectId}`, work);
  if (isWanted) {
    await visitorDeletions.forget(projectId, deletion);
  }
  return deletion;
}

const removalText = ({ ids, events, deleted }: Removal): string => {
  const what = `${counted(events, 'event')} of a visitor with ${counted(ids, 'id')}`;
  return deleted
    ? `Deleted ${what}.`
    : `${what} would be deleted. Nothing was changed; add --yes to delete them.`;
};

function addDelete(group: CommandGroup): void {
  addCommand(group, {
    name: 'visitors:delete',
    summary: 'Delete all data stored about a visitor',
    details:
      'Deletes the events of all linked ids and their contribution to the results. For 30 days, messages with any of the ids are rejected. Without --yes, it only prints what would be deleted',
    options: {
      project: required('--project <id>', 'id of the project', id),
      visitor: required('--visitor <id>', "one of the visitor's ids", visitorId),
      yes: flag('--yes', 'delete the data'),
    },
    examples: ['--project 1 --visitor user-1', '--project 1 --visitor user-1 --yes --json'],
    run: async ({ project, visitor, yes }, context): Promise<Removal> => {
      const services = await context.services();
      await requireProject(services, project);
      const { ids, events } = await deleteVisitor(services, project, visitor, yes);
      return { project_id: project, ids: ids.length, events, deleted: yes };
    },
    show: removalText,
  });
}

export function addVisitorCommands(group: CommandGroup): void {
  addExclude(group);
  addDelete(group);
  addCommand(group, {
    name: 'visitors:include',
    summary: 'Undo a visitor exclusion',
    details: "The visitors' events count again, including those received in the meantime",
    options: { exclusion: required('--exclusion <id>', 'id of the exclusion', id) },
    examples: ['--exclusion 1', '--exclusion 1 --json'],
    run: async ({ exclusion }, context) => {
      const { exclusions } = await context.services();
      const undone = await refusingUnfinished(exclusions.include(exclusion));
      if (undone === null) {
        throw new RefusedError(`There is no exclusion ${exclusion}.`);
      }
      return undone;
    },
    show: recordText,
  });
  addCommand(group, {
    name: 'visitors:exclusions',
    summary: "List a project's visitor exclusions",
    options: { project: required('--project <id>', 'id of the project', id) },
    examples: ['--project 1', '--project 1 --json'],
    run: async ({ project }, context) => {
      const services = await context.services();
      await requireProject(services, project);
      return services.exclusions.list(project);
    },
    show: (exclusions) =>
      tableText(
        exclusions,
        ['id', 'experiment_id', 'visitors', 'criteria', 'created_at', 'finished_at', 'undone_at'],
        'There are no exclusions.',
      ),
  });
}
