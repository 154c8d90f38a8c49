import type { EntrySize } from './history.store';

/** Maximum size of a batch and of a page, in bytes of JSON. A larger entry is read alone. */
const MAX_BYTES = 4_000_000;

/** The entry ids in batches of limited size, in the same order. Each batch contains at least one entry. */
export function batchesOf(sizes: readonly EntrySize[]): number[][] {
  const batches: number[][] = [];
  let rest = 0;
  for (const { id, bytes } of sizes) {
    rest -= bytes;
    const batch = batches.at(-1);
    if (batch === undefined || rest < 0) {
      batches.push([id]);
      rest = MAX_BYTES - bytes;
    } else {
      batch.push(id);
    }
  }
  return batches;
}

/** The maximum size of an entry that a page of these entries shows in full; a single entry is always shown in full. */
export function maxShownBytes(sizes: readonly EntrySize[]): number {
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  return sizes.length <= 1 || total <= MAX_BYTES ? Infinity : MAX_BYTES / sizes.length;
}
