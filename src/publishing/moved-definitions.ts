import type { LiveDefinitions } from './definitions';

/**
 * The live definitions after a status change of one experiment: it is added as it is defined now, or removed. All
 * others stay as published. So do environments, but new ones are added, unless a published one still has their
 * api_name.
 * @param published the live definitions; null if nothing was published
 * @param present the current definitions of the project, with the experiment if it goes live, and without all others
 */
export function movedDefinitions(
  published: LiveDefinitions | null,
  present: LiveDefinitions,
  experimentId: number,
): LiveDefinitions {
  const { environments, experiments } = published ?? { environments: [], experiments: [] };
  const known = new Set(environments.map(({ id }) => id));
  const taken = new Set(environments.map(({ api_name }) => api_name));
  const added = present.environments.filter(({ id, api_name }) => !known.has(id) && !taken.has(api_name));
  const others = experiments.filter(({ id }) => id !== experimentId);
  return {
    storage: present.storage,
    push_to: present.push_to,
    environments: byId([...environments, ...added]),
    experiments: byId([...others, ...present.experiments]),
  };
}

const byId = <Item extends { id: number }>(items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => a.id - b.id);
