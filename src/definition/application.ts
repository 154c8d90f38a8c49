import type { ProjectScope } from '../platform/access/scope';
import { nameKey } from '../common/text/names';
import { Failures } from '../common/validation/failures';
import type { Freed } from '../resources/environments/environments.service';
import { apiNameOf, Item, itemsIn } from './definition';
import type { DefinitionDocument } from './definition-document';
import type { Defined } from './definition-reader';
import { absent } from './variation-writes';
import { referenceKey, References, writing } from './item-body';

export interface ApplyOptions {
  /** Whether to delete records that are not in the document. */
  prune: boolean;
  /** Whether to change experiments to the statuses in the document. */
  status: boolean;
}

/** The state while a document is applied to a project, in one transaction: ids, failures and rejected records. */
export class Application implements References {
  readonly failures = new Failures();
  /** The ids of existing and created records. */
  readonly ids: ReadonlyMap<string, Map<string, number>>;
  readonly rejected = new Set<string>();
  private readonly known: ReadonlyMap<string, ReadonlyMap<string, Item>>;
  private readonly pruned = new Map<string, ReadonlySet<string>>();

  constructor(
    readonly scope: ProjectScope,
    readonly document: DefinitionDocument,
    readonly options: ApplyOptions,
    readonly before: Defined,
  ) {
    this.ids = new Map([...before.ids].map(([section, ids]) => [section, new Map(ids)]));
    this.known = new Map(
      [...before.ids.keys()].map((section) => [
        section,
        new Map(itemsIn(before.definition, section).map((item) => [apiNameOf(item), item])),
      ]),
    );
  }

  /** The previous item; null if there is none. */
  current(section: string, apiName: string): Item | null {
    return this.known.get(section)?.get(apiName) ?? null;
  }

  /** Keeps the id of a created record. @param id null if the record was rejected */
  created(section: string, apiName: string, id: number | null): void {
    if (id === null) {
      this.reject(section, apiName);
    } else {
      this.ids.get(section)?.set(apiName, id);
    }
  }

  reject(section: string, apiName: string): void {
    this.rejected.add(referenceKey(section, apiName));
  }

  /** The api_names of a section's records that are not in the document and are to be deleted. */
  toPrune(section: string): ReadonlySet<string> {
    const known = this.pruned.get(section);
    if (known !== undefined) {
      return known;
    }
    const isPruned = this.options.prune && section in this.document;
    const current = [...(this.known.get(section)?.values() ?? [])];
    const names = isPruned ? absent(current, itemsIn(this.document, section)).map(apiNameOf) : [];
    const pruned = new Set(names);
    this.pruned.set(section, pruned);
    return pruned;
  }

  /** The names and places that records in a section give up because the document renames or deletes them. */
  freed(section: string): Freed {
    const wanted = new Map(itemsIn(this.document, section).map((item) => [apiNameOf(item), item.name]));
    const pruned = this.toPrune(section);
    const freed = [...(this.known.get(section)?.values() ?? [])].filter((item) => {
      const name = wanted.get(apiNameOf(item)) ?? item.name;
      return pruned.has(apiNameOf(item)) || !isSameName(name, item.name);
    });
    const names = new Map(freed.map((item) => [idIn(this, section, apiNameOf(item)), String(item.name)]));
    return { names, places: pruned.size };
  }

  /** Deletes a record. Failures get the path of the list, because the record itself is not in the document. */
  async removing(list: string, apiName: string, remove: () => Promise<void>): Promise<void> {
    const failures = new Failures();
    await writing({ path: '', fields: [] }, failures, remove);
    for (const { message, code } of failures.all) {
      this.failures.add(list, `${apiName}: ${message}`, code);
    }
  }
}

/** Whether a submitted name, once stored, equals the current one. A name that is not a string is rejected later. */
const isSameName = (asked: unknown, current: unknown): boolean =>
  typeof asked === 'string' && nameKey(asked.trim()) === nameKey(String(current));

export const itemPath = (section: string, index: number): string => `${section}.${index}`;

/** The scope for writing one record, after the document's `If-Match` has been checked. */
export const at = (scope: ProjectScope, id: number = scope.projectId): ProjectScope => ({
  ...scope,
  ifMatch: null,
  items: {},
  target: { id, version: 0 },
});

/** The id of an existing or created record. @throws Error if there is none; callers rule this out beforehand */
export function idIn({ ids }: References, section: string, apiName: string): number {
  const id = ids.get(section)?.get(apiName);
  if (id === undefined) {
    throw new Error(`${section}/${apiName} has no id.`);
  }
  return id;
}
