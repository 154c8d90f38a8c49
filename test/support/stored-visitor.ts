import type { Page } from 'playwright-core';
import { CLIENT_KEY } from './snippet-config';

/* The data that the snippet stores about a visitor in the browser. */

export const STORAGE_KEY = `gosset.${CLIENT_KEY}`;

interface StoredRecord {
  id: string;
  assignments: Record<string, string>;
  exposed: number[];
}

/** Null if the browser has stored nothing. */
export const storedRecord = async (page: Page): Promise<StoredRecord | null> =>
  JSON.parse(await page.evaluate<string>(`localStorage.getItem('${STORAGE_KEY}')`)) as StoredRecord | null;

/** A script that stores a visitor with these times of the first and last visit, unless one is already stored. */
export const known = (times: { since: number; seen: number }, id = 'known-visitor'): string => {
  const record = JSON.stringify({ id, ...times, assignments: {}, exposed: [] });
  return `localStorage.getItem('${STORAGE_KEY}') ?? localStorage.setItem('${STORAGE_KEY}', ${JSON.stringify(record)});`;
};
