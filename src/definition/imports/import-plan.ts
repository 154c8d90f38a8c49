import type { ConditionTree } from '../../resources/audiences/condition-tree';
import { API_NAME, apiNameFrom, MAX_NAME, nameKey, nextFreeApiName } from '../../common/text/names';
import { NoEquivalent } from './export-values';
import type { Planned } from './known-records';

/** Number of steps from 0 to 100 %, because percentages have two decimal places. */
const STEPS = 10_000;
const ROUNDING = 1e-6;

/** A share as a percentage with two decimal places. @throws NoEquivalent if the share needs more */
export function percent(share: number, what: string): number {
  const steps = share * STEPS;
  const whole = Math.round(steps);
  if (!(share >= 0 && share <= 1) || Math.abs(steps - whole) > ROUNDING) {
    throw new NoEquivalent(
      `Its ${what} ${Number((share * 100).toFixed(4))} % is not a percentage with at most two decimal places.`,
    );
  }
  return whole / 100;
}

/**
 * Shares of variations in percent. Shares that differ only by rounding, such as 33.3, 33.3 and 33.4, are treated as
 * equal and become null.
 * @param weights fractions that add up to 1
 * @param smallest the smallest difference that the export can express
 * @throws NoEquivalent for shares that need more than two decimal places in percent
 */
export function sharesOf(weights: readonly number[], smallest: number): (number | null)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (Math.max(...weights) - Math.min(...weights) <= smallest + ROUNDING) {
    return weights.map(() => null);
  }
  if (Math.abs(total - 1) > ROUNDING) {
    throw new NoEquivalent(
      `The shares of its variations add up to ${Number((total * 100).toFixed(4))} %, not 100 %.`,
    );
  }
  return weights.map((weight) => percent(weight, 'share of a variation,'));
}

export type ImportedKind = 'audience' | 'goal' | 'exclusion group' | 'experiment' | 'feature' | 'holdout';

/** A record in an export, or a part of one, that has no equivalent in Gosset. */
export interface NotTaken {
  kind: ImportedKind;
  name: string;
  /** The part of the record; null for the whole record. */
  part: string | null;
  reason: string;
}

export interface PlannedAudience {
  name: string;
  conditions: ConditionTree;
}

/** A group of experiments. Each visitor takes part in at most one experiment of the group. */
export interface PlannedGroup extends Planned {
  derived: string;
}

/** The share of an exclusion group's visitors that an experiment gets. */
export interface Exclusion {
  /** The name of the group. */
  group: string;
  /** In percent. */
  share: number;
}

export interface PlannedGoal extends Planned {
  [field: string]: unknown;
}

export interface PlannedVariation {
  name: string;
  api_name: string;
  description?: string;
  /** In percent; null for an equal share of the traffic that the other variations leave over. */
  traffic_allocation: number | null;
}

export interface PlannedExperiment {
  api_name: string;
  name: string;
  description: string | null;
  hypothesis: string | null;
  tags: string[];
  /** In percent. */
  traffic_allocation: number;
  variations: PlannedVariation[];
  audiences_match_type: 'any' | 'all';
  /** Names of audiences. */
  audiences: string[];
  /** The api_names of goals, the primary goal first. */
  goals: string[];
  /** The api_names of goals that must not get worse. */
  guardrails: string[];
  exclusion: Exclusion | null;
}

/** The records to create from an export, as API request bodies, and the parts that cannot be imported. */
export class ImportPlan {
  readonly audiences: (PlannedAudience & { api_name: string })[] = [];
  readonly exclusionGroups: PlannedGroup[] = [];
  readonly goals: PlannedGoal[] = [];
  readonly experiments: PlannedExperiment[] = [];
  readonly notTaken: NotTaken[] = [];

  /** Reports a record or part that is not imported. */
  skip(kind: ImportedKind, name: string, reason: string, part: string | null = null): void {
    this.notTaken.push({ kind, name, part, reason });
  }

  /** Runs work that adds one record. A record without an equivalent is reported instead, without its parts. */
  attempt(kind: ImportedKind, name: string, work: () => void): void {
    const before = this.notTaken.length;
    try {
      work();
    } catch (error) {
      if (!(error instanceof NoEquivalent)) {
        throw error;
      }
      this.notTaken.length = before;
      this.skip(kind, name, error.message);
    }
  }

  /** Adds a goal. @throws NoEquivalent if an earlier goal in the export has the same api_name */
  addGoal(goal: PlannedGoal): void {
    const earlier = this.goals.find(({ api_name }) => api_name === goal.api_name);
    if (earlier !== undefined) {
      throw new NoEquivalent(`The goal ${earlier.name} already uses the API name ${goal.api_name}.`);
    }
    this.goals.push(goal);
  }

  /**
   * Adds a goal without a key of its own. Different names can have the same derived api_name, for example all names
   * without a Latin letter or digit.
   * @returns its api_name in the plan
   * @throws NoEquivalent if an earlier goal in the export has the same name
   */
  addNamedGoal(goal: Omit<PlannedGoal, 'api_name'> & { name: string }): string {
    if (this.goals.some(({ name }) => nameKey(name) === nameKey(goal.name))) {
      throw new NoEquivalent(`Another goal in the export is also named ${goal.name}.`);
    }
    const named = { ...goal, ...namesFrom(goal.name, 'goal', this.goals) };
    this.goals.push(named);
    return named.api_name;
  }

  /**
   * Adds an experiment and, if given, the audience that is used only by this experiment.
   * @throws NoEquivalent if an earlier experiment in the export has the same api_name, or for the same reasons as
   * `addAudience`
   */
  addExperiment(experiment: PlannedExperiment, audience: PlannedAudience | null = null): void {
    const earlier = this.experiments.find(({ api_name }) => api_name === experiment.api_name);
    if (earlier !== undefined) {
      throw new NoEquivalent(
        `The experiment ${earlier.name} already uses the API name ${experiment.api_name}.`,
      );
    }
    if (audience !== null) {
      this.addAudience(audience);
    }
    if (experiment.exclusion !== null) {
      this.addGroup(experiment.exclusion.group);
    }
    this.experiments.push(experiment);
  }

  /** Adds an exclusion group, unless an earlier experiment has already added it. */
  private addGroup(name: string): void {
    if (!this.exclusionGroups.some((each) => each.name === name)) {
      this.exclusionGroups.push({ name, ...namesFrom(name, 'exclusion-group', this.exclusionGroups) });
    }
  }

  /**
   * An experiment's share in the exclusion group with this name. Reports a share without an equivalent.
   * @param share the fraction of the group's visitors, 0 to 1
   * @param part the export's term for the group
   */
  exclusionOf(experiment: string, name: string, share: number, part: string): Exclusion | null {
    try {
      const shown = percent(share, part);
      if (shown === 0) {
        throw new NoEquivalent(`It gets none of the visitors of the ${part}.`);
      }
      return { group: name, share: shown };
    } catch (error) {
      if (!(error instanceof NoEquivalent)) {
        throw error;
      }
      this.skip(
        'experiment',
        experiment,
        `${error.message} It can now overlap with other experiments of the group.`,
        part,
      );
      return null;
    }
  }

  /**
   * Adds an audience, unless an earlier audience in the export has the same name and conditions.
   * @throws NoEquivalent if an earlier audience has the same name but different conditions
   */
  addAudience(audience: PlannedAudience): void {
    const earlier = this.audiences.find(({ name }) => name === audience.name);
    if (earlier === undefined) {
      const taken = new Set(this.audiences.map(({ api_name }) => api_name));
      const api_name = nextFreeApiName(apiNameFrom(audience.name, 'audience'), taken);
      this.audiences.push({ ...audience, api_name });
    } else if (JSON.stringify(earlier.conditions) !== JSON.stringify(audience.conditions)) {
      throw new NoEquivalent(`Another audience in the export is also named ${audience.name}.`);
    }
  }
}

function namesFrom(
  name: string,
  fallback: string,
  earlier: readonly { api_name: string }[],
): { api_name: string; derived: string } {
  const derived = apiNameFrom(name, fallback);
  return { api_name: nextFreeApiName(derived, new Set(earlier.map(({ api_name }) => api_name))), derived };
}

/** The name of an audience that only one experiment uses. */
export const targetingName = (experiment: string): string =>
  [...`Targeting of ${experiment}`].slice(0, MAX_NAME).join('').trimEnd();

/** Thrown for a file that this server cannot read as an export. The message describes the expected format. */
export class UnreadableExport extends Error {}

/** The api_name for a key. If the key contains invalid characters, the api_name differs from it, which is reported. */
export function apiNameOf(plan: ImportPlan, kind: ImportedKind, key: string): string {
  if (API_NAME.test(key)) {
    return key;
  }
  const apiName = apiNameFrom(key, kind);
  plan.skip(kind, key, `In Gosset, API names are lower-case. Use ${apiName} in your code instead.`, 'key');
  return apiName;
}

/** The api_names of variations, from keys that can be any string. Equal names get numbers, as in the API. */
export function variationApiNames(keys: readonly string[]): string[] {
  const names: string[] = [];
  for (const key of keys) {
    const wanted = API_NAME.test(key) ? key : apiNameFrom(key, 'variation');
    names.push(nextFreeApiName(wanted, new Set(names)));
  }
  return names;
}
