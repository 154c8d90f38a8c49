import { addCommand, CommandGroup } from '../command';
import { id, optional, required } from '../options';
import { tableText } from '../output';
import { RefusedError } from '../refusals';
import { requireScope } from './lookups';

function addRebuild(group: CommandGroup): void {
  addCommand(group, {
    name: 'results:rebuild',
    summary: 'Rebuild results from the events',
    details:
      'Rebuilds the results of one experiment, of all experiments in a project, or of all experiments. The server can keep running. Prints the rebuilt experiments; experiments without events have no results. Results of experiments whose events were removed (event_retention_days) are not rebuilt; these experiments are printed with rebuilt: false',
    options: {
      project: optional('--project <id>', 'id of the project', id),
      experiment: optional('--experiment <id>', 'id of the experiment', id),
    },
    examples: ['', '--project 1', '--experiment 12 --json'],
    run: async ({ project, experiment }, context, progress) => {
      const services = await context.services();
      await requireScope(services, project, experiment);
      const scope = { projectId: project, experimentId: experiment };
      const rebuilt = await services.rebuilds.rebuildOrWait(
        scope,
        progress.show('Rebuilding results (visitors)'),
      );
      const skipped = await services.rebuilds.unrepeatable(scope);
      return [
        ...(await services.experiments.of(rebuilt)).map((each) => ({ ...each, rebuilt: true })),
        ...(await services.experiments.of(skipped)).map((each) => ({ ...each, rebuilt: false })),
      ];
    },
    show: (experiments) =>
      tableText(experiments, ['id', 'project_id', 'name', 'rebuilt'], 'There are no results to rebuild.'),
  });
}

function addRotate(group: CommandGroup): void {
  addCommand(group, {
    name: 'shares:rotate',
    summary: "Replace an experiment's share link",
    details: 'The old link stops working',
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

function addRotatePreviews(group: CommandGroup): void {
  addCommand(group, {
    name: 'previews:rotate',
    summary: "Replace an experiment's preview links",
    details: 'The old links stop working',
    options: { experiment: required('--experiment <id>', 'id of the experiment', id) },
    examples: ['--experiment 12', '--experiment 12 --json'],
    run: async ({ experiment }, context) => {
      const { previews } = await context.signingServices();
      const rotated = await previews.rotate(experiment, 'admin');
      if (rotated === null) {
        throw new RefusedError(`There is no experiment ${experiment}.`);
      }
      return rotated.variations;
    },
    // Cells are not truncated, because a truncated link does not work.
    show: (variations) =>
      tableText(variations, ['id', 'preview_url'], 'The experiment has no variations.', Infinity),
  });
}

export function addResultCommands(group: CommandGroup): void {
  addRebuild(group);
  addRotate(group);
  addRotatePreviews(group);
}
