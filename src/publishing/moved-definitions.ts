import type { LiveDefinitions } from './definitions';

/**
 * What is live after one experiment has moved: it comes, as it is defined now, or goes; all others stay as they were
 * published. Environments stay as they were published, too; new ones are added.
 * @param published what is live now; null when nothing was published
 * @param present the project as it is now, with the experiment if it is to be live, and no other
 */
export function movedDefinitions(
  published: LiveDefinitions | null,
  present: LiveDefinitions,
  experimentId: number,
): LiveDefinitions {
  const { environments, experiments } = published ?? { environments: [], experiments: [] };
  const known = new Set(environments.map(({ id }) => id));
  const others = experiments.filter(({ id }) => id !== experimentId);
  return {
    storage: present.storage,
    push_to: present.push_to,
    environments: byId([...environments, ...present.environments.filter(({ id }) => !known.has(id))]),
    experiments: byId([...others, ...present.experiments]),
  };
}

const byId = <Item extends { id: number }>(items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => a.id - b.id);
