import { parseDay } from '../../common/time/clock';
import type { ExperimentRecord } from '../../experiments/experiment.record';
import { hasSchedule } from '../../experiments/schedule';
import { formatLongDay } from '../../presentation/text/dates';
import { listed } from '../../presentation/text/words';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { experimentPagePath } from '../pages/console-page';
import { TextInput } from '../pages/form-fields';

/** The dates of the original that the clone does not get. */
function Dates({ experiment }: { experiment: ExperimentRecord }) {
  const { planned_end: end } = experiment;
  const dates = [
    ...(end === null ? [] : [`the planned end (${formatLongDay(parseDay(end) ?? 0)})`]),
    ...(hasSchedule(experiment) ? ['the schedule'] : []),
  ];
  return dates.length === 0 ? null : (
    <p>It does not copy {listed(dates, 'or')}. Set dates for the clone if it needs them.</p>
  );
}

/** Copies an experiment. */
export const CLONE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/clone`,
  crumbs: experimentCrumbs,
  title: () => 'Clone the experiment',
  permission: () => 'definitions:write',
  values: () => ({ name: '' }),
  Body: ({ subject: { experiment }, form }) => (
    <>
      <p>
        The clone is a draft with the same variations, targeting, goals and settings, without the results.
      </p>
      <Dates experiment={experiment} />
      <TextInput form={form} name="name" label="Name" hint="If empty, the same name followed by “(Copy)”." />
    </>
  ),
  button: () => 'Clone',
  call: (subject, { name = '' }) => ({
    method: 'POST',
    path: `${apiPathOf(subject)}/clone`,
    ...(name.trim() !== '' && { body: { name } }),
  }),
  done: ({ project }, { body }) => ({
    path: experimentPagePath(project.id, (body as { id: number }).id),
    notice: 'cloned',
  }),
};
