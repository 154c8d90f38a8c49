import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';

/** Switches the share link of an experiment on or off. */
export const SHARING_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/share`,
  crumbs: experimentCrumbs,
  title: ({ experiment }) => (experiment.shared ? 'Stop sharing the results?' : 'Share the results?'),
  permission: () => 'definitions:write',
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment }) => ({ shared: String(!experiment.shared) }),
  Body: ({ subject: { experiment }, form }) => (
    <>
      <input type="hidden" name="shared" value={form.current.shared} />
      <p>
        {experiment.shared
          ? 'The link stops working immediately. Sharing again restores the same link.'
          : 'Anyone with the link can view the results without signing in.'}
      </p>
    </>
  ),
  button: ({ experiment }) => (experiment.shared ? 'Stop sharing' : 'Share'),
  call: (subject, { shared }) => ({
    method: 'PATCH',
    path: apiPathOf(subject),
    body: { shared: shared === 'true' },
  }),
  done: (subject, { body }) => ({
    path: pagePathOf(subject),
    notice: (body as { shared: boolean }).shared ? 'shared' : 'unshared',
  }),
};

/** Replaces the share link of an experiment. */
export const NEW_LINK_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/share/rotate`,
  crumbs: experimentCrumbs,
  title: () => 'Replace the link?',
  permission: () => 'definitions:write',
  values: () => ({}),
  Body: () => <p>The current link stops working immediately for everyone. You cannot undo this.</p>,
  button: () => 'Replace the link',
  isDanger: true,
  call: (subject) => ({ method: 'POST', path: `${apiPathOf(subject)}/results/share/rotate` }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'relinked' }),
};
