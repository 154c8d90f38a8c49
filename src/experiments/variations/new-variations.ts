import { apiNameFrom, nameColumns, nextFreeApiName } from '../../common/text/names';
import type { Micros } from '../../common/time/clock';
import type { Failures } from '../../common/validation/failures';
import { submit } from '../../common/validation/submission';
import { CreateVariation, MAX_VARIATIONS } from './variation.record';
import type { Variation } from './variation.entity';
import { sharesFit, sumOfShares } from './variation-shares';

/** The variations of a new experiment, reduced to their valid fields. */
export function sentVariations(value: unknown): Partial<CreateVariation>[] {
  return Array.isArray(value) && value.length <= MAX_VARIATIONS
    ? value.map((body: unknown) => submit(CreateVariation, null, body).fields)
    : [];
}

export function checkVariationCount(count: number, failures: Failures): void {
  if (count > MAX_VARIATIONS) {
    failures.add('variations', `An experiment can have at most ${MAX_VARIATIONS} variations.`);
  }
}

export type VariationColumns = Omit<Variation, 'id' | 'experiment_id' | 'experiment'>;

/** Validation errors for variations that are created together. */
export function checkNewVariations(
  variations: readonly Partial<CreateVariation>[],
  failures: Failures,
): void {
  const names = new Set<string>();
  let originals = 0;
  variations.forEach(({ api_name: apiName, is_original: isOriginal }, index) => {
    if (apiName !== undefined && names.has(apiName)) {
      failures.add(`variations.${index}.api_name`, 'The api name has already been taken.');
    }
    names.add(apiName ?? '');
    originals += isOriginal === true ? 1 : 0;
    if (isOriginal === true && originals > 1) {
      failures.add(`variations.${index}.is_original`, 'Only one variation can be the original.');
    }
  });
  const shares = variations.map((variation) => variation.traffic_allocation ?? null);
  if (!sharesFit(shares)) {
    failures.add(
      'variations',
      `The traffic allocations of the variations sum to ${sumOfShares(shares)}, more than 100.`,
    );
  }
}

/**
 * The columns of variations that are created together. The first variation is the original unless a different variation
 * is marked as the original.
 */
export function newVariationColumns(
  variations: readonly Partial<CreateVariation>[],
  now: Micros,
): VariationColumns[] {
  const original = Math.max(
    0,
    variations.findIndex((variation) => variation.is_original === true),
  );
  const taken = new Set(variations.flatMap(({ api_name: apiName }) => apiName ?? []));
  return variations.map((variation, index) => {
    const name = variation.name ?? '';
    const apiName = variation.api_name ?? nextFreeApiName(apiNameFrom(name, 'variation'), taken);
    taken.add(apiName);
    return variationColumns(variation, apiName, index === original, now);
  });
}

export function variationColumns(
  { name = '', description, traffic_allocation, js, css }: Partial<CreateVariation>,
  apiName: string,
  isOriginal: boolean,
  now: Micros,
): VariationColumns {
  return {
    ...nameColumns(name),
    api_name: apiName,
    description: description ?? null,
    is_original: isOriginal,
    traffic_allocation: traffic_allocation ?? null,
    js: js ?? null,
    css: css ?? null,
    version: 1,
    created_at: now,
    updated_at: now,
  };
}
