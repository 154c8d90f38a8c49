/* The location of the demo data for the quick start and `npm run dev`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { root } from './lib.mjs';

const FOLDER = 'data/demo';
/** The demo folder of releases before 0.2.0, and the data folder of `npm start`. */
const FORMER_FOLDER = 'data';

/** Reads `.env` like the server, without overriding variables that are already set. */
export function readDotenv() {
  const file = join(root, '.env');
  if (existsSync(file)) {
    // process.loadEnvFile does not remove the byte order mark that Windows programs add.
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    for (const [name, value] of Object.entries(parseEnv(text))) {
      process.env[name] ??= value;
    }
  }
}

/** Selects a database for the demo, separate from the database of `npm start`, unless DATABASE_URL is set. */
export function useDemoDatabase() {
  if ((process.env.DATABASE_URL ?? '') === '') {
    const folder = demoFolder(root);
    if (folder === FORMER_FOLDER) {
      console.error(`Using the demo in ${folder}, where an earlier release put it.`);
    }
    process.env.DATABASE_URL = `sqlite:${folder}/gosset.sqlite`;
  }
}

/** The folder of the demo. A folder of an earlier release is used in place. */
export function demoFolder(installation) {
  const isThere = (folder, name) => existsSync(join(installation, folder, name));
  const isFormer = ['demo.json', 'gosset.sqlite'].every((name) => isThere(FORMER_FOLDER, name));
  return isFormer && !isThere(FOLDER, 'gosset.sqlite') ? FORMER_FOLDER : FOLDER;
}
