import { isDeepStrictEqual } from 'node:util';
import { bucketsIn } from '../../experiments/exclusion/bucket-ranges';
import type {
  BasisPoints,
  LiveDefinitions,
  LiveEnvironment,
  LiveExclusion,
  LiveExperiment,
  LiveVariation,
} from '../definitions';
import { textDiff } from './text-diff';

/* Computes the differences between two publications from their definitions alone. */

export const CHANGE_KINDS = ['project', 'environment', 'experiment', 'variation', 'snippet'] as const;
export const CHANGE_ACTIONS = ['added', 'removed', 'changed'] as const;

/** One difference between two publications. */
export interface DefinitionChange {
  kind: (typeof CHANGE_KINDS)[number];
  action: (typeof CHANGE_ACTIONS)[number];
  experiment_id: number | null;
  variation_id: number | null;
  /** Null if the whole item was added or removed. */
  field: string | null;
  /** The value before the change; `after` is the new value. Both are null for code, which has a diff. */
  before: unknown;
  after: unknown;
  /** The code change in unified format. */
  diff: string | null;
  text: string;
}

export type NamedKind =
  'experiments' | 'exclusion_groups' | 'variations' | 'pages' | 'goals' | 'environments';

/** The current name of an item, or the given fallback if it has none. */
export type NameOf = (kind: NamedKind, id: number, otherwise: string) => string;

type Place = Pick<DefinitionChange, 'kind' | 'experiment_id' | 'variation_id'> & {
  /** The beginning of the sentence in `text`. */
  called: string;
};
type Difference = Pick<DefinitionChange, 'field' | 'before' | 'after'> &
  Partial<Pick<DefinitionChange, 'action' | 'diff'>> & { words: string };
interface Identified {
  id: number;
  api_name: string;
}

const PROJECT: Place = { kind: 'project', experiment_id: null, variation_id: null, called: 'Project' };
const CODE = { js: 'JavaScript', reset_js: 'reset JavaScript', css: 'CSS', code: 'code' } as const;

/** The changes from one publication to the next. @param before null if nothing was published */
export function definitionChanges(
  before: LiveDefinitions | null,
  after: LiveDefinitions,
  nameOf: NameOf,
): DefinitionChange[] {
  return [
    ...(before === null ? [] : projectChanges(before, after)),
    ...(before === null ? [] : environmentChanges(before.environments, after.environments, nameOf)),
    ...experimentChanges(before?.experiments ?? [], after.experiments, nameOf),
  ];
}

function projectChanges(before: LiveDefinitions, after: LiveDefinitions): DefinitionChange[] {
  const listed = (targets: readonly string[] = []): string => targets.join(', ') || 'nothing';
  return [
    ...changed(PROJECT, 'storage', before.storage, after.storage),
    ...changed(PROJECT, 'push_to', before.push_to ?? [], after.push_to ?? [], listed),
  ];
}

function environmentChanges(
  before: readonly LiveEnvironment[],
  after: readonly LiveEnvironment[],
  nameOf: NameOf,
): DefinitionChange[] {
  return pairs(before, after).flatMap(({ id, old, now }) => {
    const name = nameOf('environments', id, (now ?? old)?.api_name ?? '');
    const place: Place = {
      kind: 'environment',
      experiment_id: null,
      variation_id: null,
      called: `Environment “${name}”`,
    };
    if (old === undefined || now === undefined) {
      return [wholeChange(place, old === undefined ? 'added' : 'removed')];
    }
    return [
      ...changed(place, 'api_name', old.api_name, now.api_name),
      ...changed(place, 'is_default', old.is_default, now.is_default),
      ...codeChange(place, 'code', old.code, now.code),
    ];
  });
}

function experimentChanges(
  before: readonly LiveExperiment[],
  after: readonly LiveExperiment[],
  nameOf: NameOf,
): DefinitionChange[] {
  return pairs(before, after).flatMap(({ id, old, now }) => {
    const name = nameOf('experiments', id, (now ?? old)?.api_name ?? '');
    const place: Place = {
      kind: 'experiment',
      experiment_id: id,
      variation_id: null,
      called: `Experiment “${name}”`,
    };
    if (old === undefined || now === undefined) {
      return [
        old === undefined
          ? wholeChange(place, 'added', 'goes live')
          : wholeChange(place, 'removed', 'is no longer live'),
      ];
    }
    return [...ownChanges(place, old, now, nameOf), ...variationChanges(place, old, now, nameOf)];
  });
}

function ownChanges(
  place: Place,
  old: LiveExperiment,
  now: LiveExperiment,
  nameOf: NameOf,
): DefinitionChange[] {
  return [
    ...changed(place, 'api_name', old.api_name, now.api_name),
    ...shareChange(place, 'traffic', old.traffic, now.traffic),
    ...exclusionChange(place, old.exclusion, now.exclusion, nameOf),
    ...changed(place, 'audiences_match_type', old.audiences_match_type, now.audiences_match_type),
    ...changed(place, 'audiences', old.audiences, now.audiences, (list) => `${list.length}`),
    ...attachedChanges(place, 'pages', old.pages, now.pages, nameOf),
    ...attachedChanges(place, 'goals', old.goals, now.goals, nameOf),
    ...attachedChanges(place, 'environments', named(old.environments), named(now.environments), nameOf),
    ...(['js', 'reset_js', 'css'] as const).flatMap((field) =>
      codeChange(place, field, old[field], now[field]),
    ),
  ];
}

function variationChanges(
  of: Place,
  old: LiveExperiment,
  now: LiveExperiment,
  nameOf: NameOf,
): DefinitionChange[] {
  return pairs(old.variations, now.variations).flatMap(({ id, old: was, now: is }) => {
    const name = nameOf('variations', id, (is ?? was)?.api_name ?? '');
    const place: Place = {
      ...of,
      kind: 'variation',
      variation_id: id,
      called: `${of.called}, variation “${name}”`,
    };
    if (was === undefined || is === undefined) {
      return [wholeChange(place, was === undefined ? 'added' : 'removed')];
    }
    return fieldsOfVariation(place, was, is);
  });
}

const fieldsOfVariation = (place: Place, old: LiveVariation, now: LiveVariation): DefinitionChange[] => [
  ...changed(place, 'api_name', old.api_name, now.api_name),
  ...changed(place, 'is_original', old.is_original, now.is_original),
  ...shareChange(place, 'share', old.share, now.share),
  ...codeChange(place, 'js', old.js, now.js),
  ...codeChange(place, 'css', old.css, now.css),
];

/** Pages, goals or environments that were added, removed or changed. */
function attachedChanges<T extends Identified>(
  place: Place,
  kind: 'pages' | 'goals' | 'environments',
  before: readonly T[],
  after: readonly T[],
  nameOf: NameOf,
): DefinitionChange[] {
  return pairs(before, after)
    .filter(({ old, now }) => !isDeepStrictEqual(old, now))
    .map(({ id, old, now }) => {
      const name = nameOf(kind, id, (now ?? old)?.api_name ?? '');
      const done = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
      return change(place, {
        field: kind,
        before: old ?? null,
        after: now ?? null,
        words: `${kind.slice(0, -1)} “${name}” ${done}`,
      });
    });
}

const percent = (points: BasisPoints): string => `${points / 100}\u202f%`;

const named = (ids: readonly number[]): Identified[] => ids.map((id) => ({ id, api_name: String(id) }));

function shareChange(place: Place, field: string, old: BasisPoints, now: BasisPoints): DefinitionChange[] {
  if (old === now) {
    return [];
  }
  const words = `${field} ${percent(old)} → ${percent(now)}`;
  return [change(place, { field, before: old / 100, after: now / 100, words })];
}

/** Reports a different exclusion group or share, or the same share with different visitors. */
function exclusionChange(
  place: Place,
  old: LiveExclusion | undefined,
  now: LiveExclusion | undefined,
  nameOf: NameOf,
): DefinitionChange[] {
  if (isDeepStrictEqual(old, now)) {
    return [];
  }
  const share = ({ ranges }: LiveExclusion): BasisPoints => bucketsIn(ranges);
  const show = (part: LiveExclusion | undefined): string =>
    part === undefined
      ? 'none'
      : `“${nameOf('exclusion_groups', part.group, String(part.group))}” (${percent(share(part))})`;
  const value = (part: LiveExclusion | undefined): object | null =>
    part === undefined ? null : { exclusion_group_id: part.group, exclusion_share: share(part) / 100 };
  const [was, is] = [show(old), show(now)];
  const words = `exclusion group ${was === is ? `${is}: other visitors` : `${was} → ${is}`}`;
  return [change(place, { field: 'exclusion_group', before: value(old), after: value(now), words })];
}

function codeChange(
  place: Place,
  field: keyof typeof CODE,
  old: string | null,
  now: string | null,
): DefinitionChange[] {
  const { diff, added, removed } = textDiff(old, now);
  if (diff === '') {
    return [];
  }
  const lines = [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(
    (part) => part !== '',
  );
  const words = `${CODE[field]} changed (${lines.join(', ')} ${added + removed === 1 ? 'line' : 'lines'})`;
  return [change(place, { field, before: null, after: null, diff, words })];
}

/** Reports a change to a field with plain values; empty if the values are equal. */
function changed<T>(
  place: Place,
  field: string,
  before: T,
  after: T,
  show: (value: T) => string = String,
): DefinitionChange[] {
  if (isDeepStrictEqual(before, after)) {
    return [];
  }
  const [old, now] = [show(before), show(after)];
  const words = old === now ? `${field} changed` : `${field} ${old} → ${now}`;
  return [change(place, { field, before, after, words })];
}

const wholeChange = (
  { called, ...place }: Place,
  action: 'added' | 'removed',
  words: string = action,
): DefinitionChange => ({
  ...place,
  action,
  field: null,
  before: null,
  after: null,
  diff: null,
  text: `${called} ${words}`,
});

const change = (
  { called, ...place }: Place,
  { words, field, before, after, diff = null }: Difference,
): DefinitionChange => ({
  ...place,
  action: 'changed',
  field,
  before,
  after,
  diff,
  text: `${called}: ${words}`,
});

interface Pair<T> {
  id: number;
  old: T | undefined;
  now: T | undefined;
}

/** Pairs the items of both lists by id, in the order of the ids. */
function pairs<T extends { id: number }>(before: readonly T[], after: readonly T[]): Pair<T>[] {
  const [old, now] = [before, after].map((list) => new Map(list.map((item) => [item.id, item])));
  const ids = [...new Set([...before, ...after].map(({ id }) => id))].sort((a, b) => a - b);
  return ids.map((id) => ({ id, old: old.get(id), now: now.get(id) }));
}
