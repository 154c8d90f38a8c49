import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the folder of this file, in `src` and in `dist`. */
const read = (name: string): string => readFileSync(join(__dirname, 'assets', name), 'utf8');

/** The files that the pages of the shop load, apart from the snippet. */
export const SHOP_FILES = [
  { path: '/shop.css', type: 'text/css; charset=utf-8', text: read('shop.css') },
  { path: '/shop.js', type: 'text/javascript; charset=utf-8', text: read('shop.js') },
] as const;
