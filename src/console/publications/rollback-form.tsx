import type { ProjectRecord } from '../../projects/project.record';
import type { ConsoleForm, FormSubject } from '../forms/console-form';
import { projectPath, publicationsPath, rollbackPath } from '../pages/console-page';
import { SOON } from '../visible-changes';
import { type Expected, WhatWillChange } from './changes';

/** An earlier revision of a project. */
export interface RollbackSubject extends FormSubject {
  project: ProjectRecord;
  projectTag: string;
  revision: number;
  expected: Expected;
}

/** Publishes an earlier revision again. */
export const ROLLBACK_FORM: ConsoleForm<RollbackSubject> = {
  path: ({ project, revision }) => rollbackPath(project.id, revision),
  crumbs: ({ project }) => [
    { path: projectPath(project.id), name: project.name },
    { path: publicationsPath(project.id), name: 'Publications' },
  ],
  title: ({ revision }) => `Roll back to revision ${revision}?`,
  permission: () => 'experiments:run',
  etag: ({ projectTag }) => projectTag,
  values: () => ({}),
  Body: ({ subject: { revision, expected } }) => (
    <>
      <p>
        New page views show the content of revision {revision} {SOON}, except for experiments that are not
        running. The rollback is published as a new revision. The definitions do not change: correct them
        before the next publication, which would publish them again.
      </p>
      <WhatWillChange expected={expected} />
    </>
  ),
  isRefused: ({ expected }) => 'problems' in expected,
  button: () => 'Roll back',
  call: ({ project, revision }) => ({ method: 'POST', path: `/api${rollbackPath(project.id, revision)}` }),
  done: ({ project }) => ({ path: publicationsPath(project.id), notice: 'rolledBack' }),
};
