import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Beside this file, also where the rest has been compiled. */
const read = (name: string): string => readFileSync(join(__dirname, 'assets', name), 'utf8');

/** The files that the pages of the shop load, apart from the snippet. */
export const SHOP_FILES = {
  style: { type: 'text/css; charset=utf-8', text: read('shop.css') },
  script: { type: 'text/javascript; charset=utf-8', text: read('shop.js') },
} as const;
