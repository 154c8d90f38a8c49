import { Name } from '../../presentation/components/text';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { changesPath, projectPath } from '../pages/console-page';

/** Moves an experiment to the trash. */
export const DELETE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/delete`,
  crumbs: experimentCrumbs,
  title: () => 'Delete the experiment?',
  permission: ({ experiment }) => (experiment.status === 'running' ? 'experiments:run' : 'definitions:write'),
  etag: ({ experimentTag }) => experimentTag,
  values: () => ({}),
  Body: ({ subject: { project, experiment }, base }) => (
    <>
      <p>
        <strong>
          <Name>{experiment.name}</Name>
        </strong>{' '}
        is moved to the trash with its results, and its links stop working. To restore it within 30 days,
        revert its deletion in the <a href={`${base}${changesPath(project.id, experiment.id)}`}>history</a>.
      </p>
      {experiment.status === 'running' && (
        <p>
          <strong>The experiment is running. Visitors see the original immediately.</strong>
        </p>
      )}
    </>
  ),
  button: () => 'Delete',
  isDanger: true,
  call: (subject) => ({ method: 'DELETE', path: apiPathOf(subject) }),
  done: ({ project }) => ({ path: projectPath(project.id), notice: 'deleted' }),
};
