import { apiNameOf, Definition, Item, itemsIn } from './definition';
import type { DefinitionDifference } from './definition-changes';
import { DEFINED, DefinitionField, fieldsIn } from './definition-fields';
import { referenceKey } from './item-body';

/** The api_names of running experiments, by the items that they use directly or indirectly. */
export type RunningUsers = ReadonlyMap<string, ReadonlySet<string>>;

const isRunning = ({ status }: Item): boolean => status === 'running';

/** The experiments that run in at least one of two states of a project. */
export function runningExperiments(before: Definition, after: Definition): string[] {
  const running = [before, after].flatMap((state) => itemsIn(state, 'experiments').filter(isRunning));
  return [...new Set(running.map(apiNameOf))];
}

export function runningUsers(before: Definition, after: Definition): RunningUsers {
  const users = new Map<string, Set<string>>();
  for (const state of [before, after]) {
    const items = new Map(
      DEFINED.flatMap(({ collection }) =>
        itemsIn(state, collection).map((item): [string, Item] => [
          referenceKey(collection, apiNameOf(item)),
          item,
        ]),
      ),
    );
    for (const experiment of itemsIn(state, 'experiments').filter(isRunning)) {
      for (const key of usedBy('experiments', experiment, items)) {
        users.set(key, (users.get(key) ?? new Set<string>()).add(apiNameOf(experiment)));
      }
    }
  }
  return users;
}

/** The items that an item uses, directly or indirectly. References point to earlier sections, so the recursion ends. */
function usedBy(section: string, item: Item, items: ReadonlyMap<string, Item>): string[] {
  return fieldsIn(section).flatMap(({ name, references }: DefinitionField) => {
    const names = references === null ? [] : [item[name]].flat();
    return names.flatMap((apiName) => {
      const key = referenceKey(references ?? '', String(apiName));
      const used = items.get(key);
      return used === undefined ? [] : [key, ...usedBy(references ?? '', used, items)];
    });
  });
}

/** The running experiments that a difference affects. */
export function concerned(
  { kind, api_name, experiment, action, isSeen }: DefinitionDifference,
  running: readonly string[],
  users: RunningUsers,
): string[] {
  if (!isSeen) {
    return [];
  }
  const own = kind === 'variation' ? experiment : api_name;
  if (action === 'move' && own !== null) {
    return [own];
  }
  if (kind === 'experiment' || kind === 'variation') {
    return running.filter((name) => name === own);
  }
  if (own === null) {
    return [...running];
  }
  const collection = DEFINED.find(({ type }) => type === kind)?.collection ?? '';
  return [...(users.get(referenceKey(collection, own)) ?? [])];
}
