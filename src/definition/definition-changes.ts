import { isDeepStrictEqual } from 'node:util';
import { apiNameOf, Definition, Item, itemsIn, variationsOf } from './definition';
import {
  DEFINED,
  DefinitionField,
  fieldsIn,
  PROJECT_FIELDS,
  SETTINGS_FIELDS,
  VARIATION_FIELDS,
} from './definition-fields';

/** A difference between a definition and a document. */
export interface DefinitionDifference {
  /** The kind of record, such as `goal`, as in the audit log. */
  kind: string;
  /** Null for the project and its settings. */
  api_name: string | null;
  /** The api_name of a variation's experiment; null for other records. */
  experiment: string | null;
  action: 'create' | 'update' | 'delete' | 'move';
  before: Item | null;
  after: Item | null;
  /** Whether visitors may notice a change to any of the changed fields. */
  isSeen: boolean;
  /** The query parameter without which the request does not make the change; null if the request makes it. */
  skipped: 'prune' | 'status' | null;
}

type Place = Pick<DefinitionDifference, 'kind' | 'api_name' | 'experiment'>;

const PARTS = [
  { part: 'project', kind: 'project', fields: PROJECT_FIELDS },
  { part: 'settings', kind: 'project_settings', fields: SETTINGS_FIELDS },
] as const;

/** The differences between two states of a project, in document order. */
export function differences(before: Definition, after: Definition): DefinitionDifference[] {
  return [
    ...PARTS.flatMap(({ part, kind, fields }) =>
      updateOf({ kind, api_name: null, experiment: null }, fields, before[part], after[part]),
    ),
    ...DEFINED.flatMap(({ collection, type }) =>
      pairs(itemsIn(before, collection), itemsIn(after, collection)).flatMap(([old, now, api_name]) =>
        itemDifference({ kind: type, api_name, experiment: null }, fieldsIn(collection), old, now),
      ),
    ),
    ...pairs(itemsIn(before, 'experiments'), itemsIn(after, 'experiments')).flatMap(([old, now, name]) =>
      experimentDifferences(name, old, now),
    ),
  ];
}

function experimentDifferences(name: string, old: Item | null, now: Item | null): DefinitionDifference[] {
  const place = { kind: 'experiment', api_name: name, experiment: null };
  const own = itemDifference(place, fieldsIn('experiments'), old, withoutStatus(now));
  const isLasting = old !== null && now !== null;
  const variations = isLasting ? pairs(variationsOf(old), variationsOf(now)) : [];
  return [
    ...own,
    ...variations.flatMap(([from, to, api_name]) =>
      itemDifference({ kind: 'variation', api_name, experiment: name }, VARIATION_FIELDS, from, to),
    ),
    ...(now === null ? [] : moveOf(name, old?.status ?? 'draft', now.status)),
  ];
}

/** The experiment without its status, because a new experiment is a draft and its status is a separate change. */
function withoutStatus(item: Item | null): Item | null {
  if (item === null) {
    return null;
  }
  const { status: _status, ...fields } = item;
  return fields;
}

/** The status change, as a list; empty if the status is the same. */
const moveOf = (experiment: string, from: unknown, to: unknown): DefinitionDifference[] =>
  from === to
    ? []
    : [
        {
          kind: 'experiment',
          api_name: experiment,
          experiment: null,
          action: 'move',
          before: { status: from },
          after: { status: to },
          isSeen: from === 'running' || to === 'running',
          skipped: null,
        },
      ];

/** Pairs of items with the same api_name in two lists. Items of the first list come first. */
function pairs(before: readonly Item[], after: readonly Item[]): [Item | null, Item | null, string][] {
  const now = new Map(after.map((item) => [apiNameOf(item), item]));
  const old = new Map(before.map((item) => [apiNameOf(item), item]));
  return [...new Set([...old.keys(), ...now.keys()])].map((name) => [
    old.get(name) ?? null,
    now.get(name) ?? null,
    name,
  ]);
}

function itemDifference(
  place: Place,
  fields: readonly DefinitionField[],
  old: Item | null,
  now: Item | null,
): DefinitionDifference[] {
  if (old !== null && now !== null) {
    return updateOf(place, fields, old, now);
  }
  return [
    {
      ...place,
      action: old === null ? 'create' : 'delete',
      before: old,
      after: now,
      isSeen: true,
      skipped: null,
    },
  ];
}

function updateOf(
  place: Place,
  fields: readonly DefinitionField[],
  old: Item,
  now: Item,
): DefinitionDifference[] {
  const changed = fields.filter(({ name }) => !isDeepStrictEqual(old[name], now[name]));
  const of = (item: Item): Item => Object.fromEntries(changed.map(({ name }) => [name, item[name]]));
  const isSeen = changed.some((field) => field.isSeen);
  return changed.length === 0
    ? []
    : [{ ...place, action: 'update', before: of(old), after: of(now), isSeen, skipped: null }];
}

/** The deletions and status changes that are still needed for this definition to match the document. */
export function remaining(
  now: Definition,
  document: Readonly<Record<string, unknown>>,
): DefinitionDifference[] {
  const sections = [
    ...DEFINED.map(({ collection, type }) => ({ collection, type })),
    { collection: 'experiments', type: 'experiment' },
  ].filter(({ collection }) => collection in document);
  const deletions = sections.flatMap(({ collection, type }) =>
    gone(itemsIn(now, collection), itemsIn(document, collection), { kind: type, experiment: null }),
  );
  const wanted = new Map(itemsIn(document, 'experiments').map((item) => [apiNameOf(item), item]));
  const within = itemsIn(now, 'experiments').flatMap((item) => {
    const asked = wanted.get(apiNameOf(item));
    return asked === undefined ? [] : leftIn(item, asked);
  });
  return [...deletions, ...within];
}

function leftIn(item: Item, asked: Item): DefinitionDifference[] {
  const experiment = apiNameOf(item);
  const place = { kind: 'variation', experiment };
  const variations =
    asked.variations === undefined ? [] : gone(variationsOf(item), variationsOf(asked), place);
  const moves = asked.status === undefined ? [] : moveOf(experiment, item.status, asked.status);
  return [...variations, ...moves.map((move) => ({ ...move, skipped: 'status' as const }))];
}

function gone(
  now: readonly Item[],
  wanted: readonly Item[],
  place: Pick<Place, 'kind' | 'experiment'>,
): DefinitionDifference[] {
  return pairs(now, wanted).flatMap(([item, asked, api_name]) =>
    item === null || asked !== null
      ? []
      : [{ ...place, api_name, action: 'delete', before: item, after: null, isSeen: true, skipped: 'prune' }],
  );
}
