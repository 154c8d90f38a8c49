import type { Schemas } from './index.js';

type Change = Schemas['DefinitionChange'];

const SIGNS: Record<Change['action'], string> = { create: '+', update: '~', delete: '-', move: '>' };

const MAX_VALUE = 60;

/** The changes that applying the plan would make. Excludes skipped changes, which are only listed. */
export const planned = (changes: readonly Change[]): Change[] =>
  changes.filter(({ skipped }) => skipped === null);

/** Formats a plan for people. */
export function planText(changes: readonly Change[]): string {
  const skipped = changes.filter((change) => change.skipped !== null);
  return [
    ...planned(changes).flatMap(linesOf),
    ...(skipped.length === 0 ? [] : ['', 'Not part of this plan:']),
    ...skipped.map((change) => `${headOf(change)}   (needs --${change.skipped})`),
    '',
    summary(changes),
  ].join('\n');
}

function linesOf(change: Change): string[] {
  const fields =
    change.action === 'update' || change.action === 'move' ? Object.keys(change.after ?? {}) : [];
  return [
    headOf(change),
    ...fields.map(
      (field) => `    ${field}: ${shown(change.before?.[field])} -> ${shown(change.after?.[field])}`,
    ),
  ];
}

function headOf({ kind, api_name, experiment, action, live, participants }: Change): string {
  const name = [experiment, api_name].filter((part) => part !== null).join('/');
  const effect = live ? `   LIVE: ${participants} participants` : '';
  return `${SIGNS[action]} ${kind}${name === '' ? '' : ` ${name}`}: ${action}${effect}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function summary(changes: readonly Change[]): string {
  const own = planned(changes);
  if (own.length === 0) {
    return 'No changes.';
  }
  const live = own.filter((change) => change.live).length;
  return `${own.length} ${own.length === 1 ? 'change' : 'changes'}, ${live} of them live.`;
}

/** Formats a path for display: `experiments.2.variations.0.name` as `experiments[2].variations[0].name`. */
export const placeText = (path: string): string => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
