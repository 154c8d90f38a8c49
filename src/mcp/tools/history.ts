import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { LISTING, readPage, withShortFields } from '../listing';
import type { Arguments, Reference, Shape } from '../reference';
import { defineTool, Tool, ToolSpec } from '../tool';

/* The fields of an audit log entry that the tools return. */

const CHANGE = {
  created_at: true,
  actor: { type: true, user_name: true, token_name: true },
  action: true,
  item_type: true,
  item_id: true,
  item_name: true,
  before: true,
  after: true,
} as const;

type Change = Pick<AuditEntryRecord, keyof typeof CHANGE>;

/** The filters for audit log entries, except those that are rarely useful to assistants. */
const FILTERS = {
  query: ['item_type', 'item_id', 'search', 'since', 'page', 'per_page'],
  args: {
    item_type: { description: 'Such as `experiment,variation`.' },
    item_id: { description: undefined },
    search: LISTING.args.search,
    since: { description: 'ISO 8601.' },
    page: { ...LISTING.args.page, default: undefined },
    per_page: LISTING.args.per_page,
  },
} as const;

export function historyTools(reference: Reference): readonly Tool[] {
  return [
    defineTool(reference, lister(reference.shapes<Change>('AuditEntryRecord', { id: true, ...CHANGE }))),
    defineTool(reference, reverter(reference.shape<Change>('AuditEntryRecord', CHANGE))),
  ];
}

const lister = (changes: Shape<Change[]>): ToolSpec => ({
  name: 'list_changes',
  description: 'Changes with their user, time and changed fields, newest first.',
  effect: 'reads',
  operation: 'listAuditEntries',
  ...FILTERS,
  run: (args, api) => readPage(api, args, { shape: changes, called: 'changes', shorten: withShortValues }),
});

interface RevertChange extends Arguments {
  entry_id: number;
  dry_run?: boolean;
}

const reverter = (changes: Shape<Change>): ToolSpec<RevertChange> => ({
  name: 'revert_change',
  description: 'Undoes an entry of list_changes, unless its fields have changed since.',
  effect: 'changes',
  operation: 'revertAuditEntry',
  args: { dry_run: { type: 'boolean' } },
  run: async ({ dry_run = false, ...args }, api) => {
    const { body } = await api.ask({ ...args, ...(dry_run ? { dry_run: '1' } : {}) });
    const change = withShortValues(changes.take(body));
    const what = `change ${args.entry_id} of ${change.item_type} ${JSON.stringify(change.item_name)}`;
    return { text: dry_run ? `Would revert ${what}.` : `Reverted ${what}.`, data: { change } };
  },
});

/** Code is omitted because it can be long, and undoing a change requires only the id of the change. */
const withShortValues = <T extends Change>(change: T): T => ({
  ...change,
  before: change.before && withShortFields(change.before),
  after: change.after && withShortFields(change.after),
});
