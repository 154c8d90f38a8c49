import type { ConditionTree } from '../../../resources/audiences/condition-tree';
import { type Json, NoEquivalent, objectsIn, parsed, textsIn } from '../export-values';
import { combined, conditionOf, groupIn, SavedGroups } from './conditions';

/** The fields of features, phases and rules (REST API), and of rules in payloads, that refer to other features. */
const PREREQUISITES = ['prerequisites', 'parentConditions'];

/** Whether the feature, phase or rule applies only for certain values of other features. */
export const hasPrerequisites = (record: Json): boolean =>
  PREREQUISITES.some((field) => Array.isArray(record[field]) && record[field].length > 0);

export const dependsOnFeature = (): NoEquivalent =>
  new NoEquivalent('It depends on another feature. Audiences have no conditions on features.');

/** @throws NoEquivalent if the feature, phase or rule applies only for certain values of other features */
export function requireNoPrerequisites(record: Json): void {
  if (hasPrerequisites(record)) {
    throw dependsOnFeature();
  }
}

/**
 * The condition of a phase or rule together with its saved groups; null if it applies to all visitors.
 * @param field the field with the condition
 * @throws NoEquivalent
 */
export function targetingOf(record: Json, field: string, groups: SavedGroups): ConditionTree | null {
  requireNoPrerequisites(record);
  const text = record[field];
  const condition = text === '' || text === undefined || text === null ? {} : parsed(text);
  const own = conditionOf(condition, groups);
  const saved = objectsIn(record.savedGroupTargeting).map((entry) => {
    const trees = textsIn(entry.savedGroups).map((id) => groupIn(groups, id));
    return entry.matchType === 'none'
      ? (['not', combined('or', trees)] satisfies ConditionTree)
      : combined(entry.matchType === 'any' ? 'or' : 'and', trees);
  });
  const all = own === null ? saved : [own, ...saved];
  return all.length === 0 ? null : combined('and', all);
}
