import type { TrashKey, TrashRefusal } from '../../projects/trash/trash.service';
import type { TrashType } from '../../projects/trash/soft-delete.store';
import { addCommand, CommandGroup } from '../command';
import { id, oneOf, optional, required } from '../options';
import { tableText } from '../output';
import { RefusedError, UsageError } from '../refusals';

const TYPES: Record<TrashType, string> = {
  project: 'a project with all of its contents',
  experiment: 'an experiment with its results',
};

const KEPT = 'Deleted records stay in the trash for 30 days';
const TYPE = 'what it is';
const ID = 'its id';

const REFUSALS: Record<TrashRefusal, string> = {
  'not in the trash': 'is not in the trash',
  'its project is in the trash':
    'belongs to a project that is itself in the trash; restore the project first',
  'being purged': 'is being purged, so it cannot be restored',
};

function refusal({ type, id: itemId }: TrashKey, reason: TrashRefusal): RefusedError {
  return new RefusedError(`The ${type} with id ${itemId} ${REFUSALS[reason]}.`);
}

function addList(group: CommandGroup): void {
  addCommand(group, {
    name: 'trash:list',
    summary: 'List deleted projects and experiments',
    details: `${KEPT}. If an interrupted purge is still listed as "being purged", run trash:purge to finish it`,
    options: {
      type: optional('--type <type>', 'only records of this type', oneOf(TYPES)),
      id: optional('--id <id>', 'only records with this id', id),
    },
    examples: ['', '--type experiment --json'],
    run: async ({ type, id: itemId }, context) => {
      const { trash } = await context.services();
      const items = await trash.list();
      return items.filter(
        (item) => (type === undefined || item.type === type) && (itemId === undefined || item.id === itemId),
      );
    },
    show: (items) =>
      tableText(
        items.map((item) => ({ ...item, purge_at: item.purge_at ?? 'being purged' })),
        ['type', 'id', 'name', 'project_id', 'deleted_at', 'purge_at'],
        'The trash is empty.',
      ),
  });
}

function addRestore(group: CommandGroup): void {
  addCommand(group, {
    name: 'trash:restore',
    summary: 'Restore a deleted project or experiment',
    details: `${KEPT}. An experiment that was running is restored as paused`,
    options: { type: required('--type <type>', TYPE, oneOf(TYPES)), id: required('--id <id>', ID, id) },
    examples: ['--type project --id 3', '--type experiment --id 12'],
    run: async (key, context) => {
      const { trash } = await context.services();
      const reason = await trash.restore(key, 'admin');
      if (reason !== null) {
        throw refusal(key, reason);
      }
      return { ...key, restored: true };
    },
  });
}

function addPurge(group: CommandGroup): void {
  addCommand(group, {
    name: 'trash:purge',
    summary: 'Purge deleted records with all their data',
    details:
      'With --type and --id: one record, immediately. Without them: all records deleted at least 30 days ago. To finish an interrupted purge, run the command again',
    options: { type: optional('--type <type>', TYPE, oneOf(TYPES)), id: optional('--id <id>', ID, id) },
    examples: ['', '--type experiment --id 12'],
    run: async ({ type, id: itemId }, context) => {
      if ((type === undefined) !== (itemId === undefined)) {
        throw new UsageError('Pass --type and --id together, or neither.');
      }
      const { trash } = await context.services();
      if (type === undefined || itemId === undefined) {
        return trash.purgeExpired('admin');
      }
      const key = { type, id: itemId };
      const reason = await trash.purge(key, 'admin');
      if (reason !== null) {
        throw refusal(key, reason);
      }
      return [key];
    },
    show: (purged) => tableText(purged, ['type', 'id'], 'Nothing was due to be purged.'),
  });
}

export function addTrashCommands(group: CommandGroup): void {
  addList(group);
  addRestore(group);
  addPurge(group);
}
