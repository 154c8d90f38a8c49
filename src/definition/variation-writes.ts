import type { Item } from './definition';
import { apiNameOf } from './definition';

/** A variation in the document, with its path. */
export interface WantedVariation {
  item: Item;
  current: Item | null;
  path: string;
}

const shareOf = (item: Item | null): number =>
  typeof item?.traffic_allocation === 'number' ? item.traffic_allocation : 0;

/** The increase in the variation's share. */
const gain = ({ item, current }: WantedVariation): number =>
  'traffic_allocation' in item ? shareOf(item) - shareOf(current) : 0;

/**
 * The variations in write order. Shares must never add up to more than 100 %, so decreases come first. New variations
 * keep their order.
 */
export const inOrderOfShares = (wanted: readonly WantedVariation[]): WantedVariation[] => [
  ...wanted.filter((each) => gain(each) < 0),
  ...wanted.filter((each) => gain(each) >= 0),
];

/**
 * Omits `is_original: false` if the document names an original, because the current original can be unset only by
 * setting a new one.
 */
export function withoutOldOriginal(wanted: readonly WantedVariation[]): WantedVariation[] {
  const hasOriginal = wanted.some(({ item }) => item.is_original === true);
  return wanted.map((each) => {
    const { is_original, ...item } = each.item;
    return hasOriginal && is_original === false ? { ...each, item } : each;
  });
}

/**
 * An original with a share of 0. It will be deleted once the other variations are written, and until then it must leave
 * its share to them.
 */
export const withoutShare = (original: Item, path: string): WantedVariation => ({
  item: { api_name: apiNameOf(original), traffic_allocation: 0 },
  current: original,
  path,
});

/** The current variations that are not in the document. */
export function absent(current: readonly Item[], wanted: readonly Item[]): Item[] {
  const names = new Set(wanted.map(apiNameOf));
  return current.filter((item) => !names.has(apiNameOf(item)));
}
