import { withIds } from '../../common/text/names';
import { hasItem, itemsWith } from './references.store';
import { type Resource, type RuleContext, singularOf } from './resource';

type Declared = Pick<Resource, 'type' | 'collection' | 'references'>;

/** Enforces the references that resources declare. */
export class References {
  constructor(private readonly resources: readonly Declared[]) {}

  /**
   * Checks that the referenced records belong to the project. Skips fields with an earlier error and references that do
   * not change.
   * @param current the row before the change; null for a new row
   */
  async check(
    { references = {} }: Declared,
    columns: object,
    current: object | null,
    { manager, projectId, failures }: RuleContext,
  ): Promise<void> {
    for (const [column, { to }] of Object.entries(references)) {
      const id = idIn(columns, column);
      if (id === null || id === idIn(current, column) || failures.has(column)) {
        continue;
      }
      if (!(await hasItem(manager, to, projectId, id))) {
        failures.add(column, `The project has no ${singularOf(this.declarationOf(to))} ${id}.`);
      }
    }
  }

  /** Reports the records that refer to a record. It cannot be deleted before them. */
  async checkRemoval(resource: Declared, id: number, { manager, failures }: RuleContext): Promise<void> {
    for (const { collection, references = {} } of this.resources) {
      for (const [column, { to, users }] of Object.entries(references)) {
        const items = to === resource.collection ? await itemsWith(manager, collection, column, id) : [];
        if (items.length > 0) {
          failures.add(collection, `${users} use this ${singularOf(resource)}: ${withIds(items)}.`, 'IN_USE');
        }
      }
    }
  }

  private declarationOf(collection: string): Declared {
    const declared = this.resources.find((each) => each.collection === collection);
    if (declared === undefined) {
      throw new Error(`${collection} is not in the registry, so no reference can name it.`);
    }
    return declared;
  }
}

const idIn = (columns: object | null, column: string): number | null =>
  (columns as Record<string, number | null | undefined> | null)?.[column] ?? null;
