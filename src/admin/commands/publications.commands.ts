import { formatMicros } from '../../common/time/clock';
import type { PublicationRow } from '../../publishing/publication.store';
import { addCommand, CommandGroup } from '../command';
import { id, optional, required, revision as revisionNumber } from '../options';
import { tableText } from '../output';
import { RefusedError } from '../refusals';
import { orNoSuch, requireProject } from './lookups';

const PROJECT = required('--project <id>', 'id of the project', id);

const shown = ({ created_at, project_id: _, ...publication }: PublicationRow) => ({
  ...publication,
  published_at: formatMicros(created_at),
});

function addList(group: CommandGroup): void {
  addCommand(group, {
    name: 'publications:list',
    summary: "List a project's publications, newest first",
    details:
      "The first one in the list is live. Sizes are script sizes in bytes; sha384 is the value of a script tag's integrity attribute",
    options: {
      project: PROJECT,
      revision: optional('--revision <number>', 'only this revision', revisionNumber),
    },
    examples: ['--project 1', '--project 1 --revision 3 --json'],
    run: async ({ project, revision }, context) => {
      const services = await context.services();
      await requireProject(services, project);
      const all = await services.publications.list(project);
      const listed = all.filter((each) => revision === undefined || each.revision === revision);
      if (revision !== undefined && listed.length === 0) {
        throw new RefusedError(`There is no revision ${revision} of project ${project}.`);
      }
      return listed.map(shown);
    },
    show: (publications) =>
      tableText(
        publications,
        ['revision', 'published_at', 'reason', 'source_revision', 'user_id', 'snippet_version', 'bytes_gzip'],
        'Nothing has been published yet.',
      ),
  });
}

function addRollback(group: CommandGroup): void {
  addCommand(group, {
    name: 'publications:rollback',
    summary: 'Make an earlier revision live again',
    details:
      "Publishes the revision's content as a new revision, except for experiments that are no longer running. The definitions are not changed, so the next publication publishes them again",
    options: {
      project: PROJECT,
      revision: required('--revision <number>', 'the revision to make live again', revisionNumber),
    },
    examples: ['--project 1 --revision 3', '--project 1 --revision 3 --json'],
    run: async ({ project, revision }, context) => {
      const services = await context.services();
      await requireProject(services, project);
      const rolledBack = services.publications.rollBack(project, revision, 'admin');
      const publication = await orNoSuch(`revision ${revision} of project ${project}`, rolledBack);
      if (publication === null) {
        throw new RefusedError(`The content of revision ${revision} is already live.`);
      }
      return shown(publication);
    },
  });
}

export function addPublicationCommands(group: CommandGroup): void {
  addList(group);
  addRollback(group);
}
