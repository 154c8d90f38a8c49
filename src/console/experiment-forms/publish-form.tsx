import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { type Expected, WhatWillChange } from '../publications/changes';

/** The experiment from whose page the project is published. */
export interface PublishSubject extends ExperimentSubject {
  /** Only on the form's own page. */
  expected?: Expected;
}

/** Publishes the current state of the project's running experiments. */
export const PUBLISH_FORM: ConsoleForm<PublishSubject> = {
  path: (subject) => `${pagePathOf(subject)}/publish`,
  crumbs: experimentCrumbs,
  title: () => 'Publish the changes?',
  permission: () => 'experiments:run',
  etag: ({ projectTag }) => projectTag,
  values: () => ({}),
  Body: ({ subject: { expected } }) => (
    <>
      <p>
        All running experiments of the project are published in their current state. Visitors see the changes
        within seconds.
      </p>
      {expected !== undefined && <WhatWillChange expected={expected} />}
    </>
  ),
  isRefused: ({ expected = {} }) => 'problems' in expected,
  button: () => 'Publish',
  call: (subject) => ({ method: 'PATCH', path: `${apiPathOf(subject)}/publish` }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'published' }),
};
