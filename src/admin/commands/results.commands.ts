import type { Services } from '../application';
import { addCommand, CommandGroup } from '../command';
import { id, optional, required } from '../options';
import { tableText } from '../output';
import { RefusedError } from '../refusals';
import { requireProject } from './lookups';

/** @throws RefusedError when there is no such project or experiment, or the project does not have the experiment */
async function requireScope(services: Services, project?: number, experiment?: number): Promise<void> {
  if (project !== undefined) {
    await requireProject(services, project);
  }
  if (experiment !== undefined) {
    const found = await services.experiments.live(experiment);
    if (found === null || (project !== undefined && found.project_id !== project)) {
      const where = found === null ? '' : ` in project ${project}`;
      throw new RefusedError(`There is no experiment ${experiment}${where}.`);
    }
  }
}

function addRebuild(group: CommandGroup): void {
  addCommand(group, {
    name: 'results:rebuild',
    summary: 'Build results anew from the events',
    details:
      'Those of an experiment, of all experiments of a project, or of all there are. The server goes on collecting and answering meanwhile. Prints the experiments whose results were built; those without events have none',
    options: {
      project: optional('--project <id>', 'id of the project', id),
      experiment: optional('--experiment <id>', 'id of the experiment', id),
    },
    examples: ['', '--project 1', '--experiment 12 --json'],
    run: async ({ project, experiment }, context, progress) => {
      const services = await context.services();
      await requireScope(services, project, experiment);
      const scope = { projectId: project, experimentId: experiment };
      try {
        const rebuilt = await services.rebuilds.rebuild(scope, progress.show('Rebuilding, visitors'));
        return await services.experiments.of(rebuilt);
      } catch (error) {
        const { RebuildTakenOverError } = await import('../../events/rebuild.service.js');
        throw error instanceof RebuildTakenOverError ? new RefusedError(error.message) : error;
      }
    },
    show: (experiments) =>
      tableText(experiments, ['id', 'project_id', 'name'], 'There are no results to build.'),
  });
}

function addRotate(group: CommandGroup): void {
  addCommand(group, {
    name: 'shares:rotate',
    summary: 'Give the shared results of an experiment a new address',
    details: 'The old address leads nowhere from then on',
    options: { experiment: required('--experiment <id>', 'id of the experiment', id) },
    examples: ['--experiment 12', '--experiment 12 --json'],
    run: async ({ experiment }, context) => {
      const { shareTokens } = await context.services();
      const share = await shareTokens.rotateShareToken(experiment, 'admin');
      if (share === null) {
        throw new RefusedError(`There is no experiment ${experiment}.`);
      }
      return { experiment_id: share.id, share_token: share.share_token, share_url: share.share_url };
    },
  });
}

export function addResultCommands(group: CommandGroup): void {
  addRebuild(group);
  addRotate(group);
}
