import type { Permission } from '../../platform/access/roles';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { Name } from '../../presentation/components/text';
import type { ProjectRecord } from '../../projects/project.record';
import type { ApiCall } from '../curl';
import type { ConsoleForm, FormSubject } from '../forms/console-form';
import { historyPath, projectPath, revertPath } from '../pages/console-page';
import { Problems, Changes } from '../publications/changes';
import { entryChanges, entryTitle } from './entry-words';

/** An entry in the audit log. */
export interface RevertSubject extends FormSubject {
  project: ProjectRecord;
  entry: AuditEntryRecord;
  permission: Permission;
  /** The audit entry of the revert according to a dry run, or the reasons why the revert would be rejected. */
  expected: { entry: AuditEntryRecord } | { problems: readonly string[] };
}

/** The call of the form. */
export const revertCall = (projectId: number, entryId: number): ApiCall => ({
  method: 'POST',
  path: `/api${revertPath(projectId, entryId)}`,
});

/** Undoes a change. */
export const REVERT_FORM: ConsoleForm<RevertSubject> = {
  path: ({ project, entry }) => revertPath(project.id, entry.id),
  crumbs: ({ project }) => [
    { path: projectPath(project.id), name: project.name },
    { path: historyPath(project.id), name: 'History' },
  ],
  title: () => 'Revert this change?',
  permission: ({ permission }) => permission,
  values: () => ({}),
  Body: ({ subject: { entry, expected } }) => (
    <>
      <p>
        <Name>{entryTitle(entry)}</Name>
      </p>
      <WhatWillChange expected={expected} />
    </>
  ),
  isRefused: ({ expected }) => 'problems' in expected,
  button: () => 'Revert',
  call: ({ project, entry }) => revertCall(project.id, entry.id),
  done: ({ project }) => ({ path: historyPath(project.id), notice: 'reverted' }),
};

function WhatWillChange({ expected }: Pick<RevertSubject, 'expected'>) {
  if ('problems' in expected) {
    return <Problems title="This cannot be reverted now" problems={expected.problems} />;
  }
  const { before, after } = expected.entry;
  return (
    <section class="stack" aria-labelledby="changes">
      <h2 id="changes">What will change</h2>
      {after === null && <p>The record will be deleted.</p>}
      {before === null && <p>{restoration(expected.entry)}</p>}
      <Changes changes={entryChanges(expected.entry)} />
      <p>Edits to running experiments go live when you publish the project.</p>
    </section>
  );
}

/** Kinds of records that are detached from experiments when they are deleted. */
const ATTACHED: readonly string[] = ['goal', 'page', 'audience'];

function restoration({ item_type: kind }: AuditEntryRecord): string {
  if (kind === 'experiment') {
    return 'The experiment will be restored with its variations and results. It will not run until you start it.';
  }
  const attachment = ATTACHED.includes(kind) ? ' Attach it again to the experiments that need it.' : '';
  return `The record will be restored with its id.${attachment}`;
}
