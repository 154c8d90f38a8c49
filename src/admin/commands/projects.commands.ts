import type { Project } from '../../projects/project.entity';
import { addCommand, CommandGroup } from '../command';
import { defaulted, id, name, oneOf, optional, required } from '../options';
import { orNoSuch, requireTeam } from './lookups';

const STORAGES: Record<Project['storage'], string> = {
  localStorage: "in the browser's local storage",
  cookie: 'in a cookie, which subdomains can share',
};

const METHODS: Record<Project['statistics_method'], string> = {
  sequential: 'allows any number of looks while the experiment runs',
  planned:
    'looks once a day until the planned sample size is reached, for experiments with planned_participants',
  frequentist: 'tests once, at the planned end of the experiment',
  bayesian: 'computes the chance that a variation is better than the original',
};

const CORRECTIONS: Record<Project['statistics_correction'], string> = {
  none: 'judges every comparison separately',
  holm: 'controls the chance of any false winner',
  'benjamini-hochberg': 'controls the share of false winners',
};

export function addProjectCommands(group: CommandGroup): void {
  addCommand(group, {
    name: 'projects:create',
    summary: 'Create a project with an environment named Production',
    options: {
      team: required('--team <id>', 'id of the team that the project belongs to', id),
      name: required('--name <name>', 'name of the project', name),
      storage: defaulted(
        '--storage <storage>',
        "where the snippet keeps a visitor's assignment; localStorage by default",
        oneOf(STORAGES),
        'localStorage',
      ),
    },
    examples: ['--team 1 --name Shop', '--team 1 --name Shop --storage cookie --json'],
    run: async ({ team, name: projectName, storage }, context) => {
      const services = await context.services();
      await requireTeam(services, team);
      return services.projects.create({ team_id: team, name: projectName, storage }, 'admin');
    },
  });
  addCommand(group, {
    name: 'projects:set-method',
    summary: "Set a project's statistical method",
    options: {
      project: required('--project <id>', 'id of the project', id),
      method: required('--method <method>', 'statistical method', oneOf(METHODS)),
      correction: optional(
        '--correction <correction>',
        'correction for multiple comparisons; unchanged by default',
        oneOf(CORRECTIONS),
      ),
    },
    examples: ['--project 1 --method frequentist --correction holm', '--project 1 --method sequential'],
    run: async ({ project, method, correction }, context) => {
      const { projects } = await context.services();
      const choice = {
        statistics_method: method,
        ...(correction === undefined ? {} : { statistics_correction: correction }),
      };
      return orNoSuch(`project ${project}`, projects.setMethod(project, choice, 'admin'));
    },
  });
}
