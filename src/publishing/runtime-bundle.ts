import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What every snippet consists of besides the content of its project. */
export interface RuntimeBundle {
  /** Statements that declare a function `start` and names of their own; they belong into a function. */
  code: string;
  /** SHA-256 of the code in hexadecimal: the version of the runtime. */
  digest: string;
}

/** Where the build puts the bundles, and the set-up of the tests those of the sources. */
const FOLDER = join(__dirname, 'runtime', 'bundles');

const bundles = new Map<boolean, RuntimeBundle>();

/**
 * The runtime for browsers, read when it is first asked for.
 * @param withAgent can it tell device, browser and operating system from the user agent? This takes another 8 KB.
 */
export function runtimeBundle(withAgent: boolean): RuntimeBundle {
  const bundle = bundles.get(withAgent) ?? read(withAgent ? 'main-with-agent.js' : 'main.js');
  bundles.set(withAgent, bundle);
  return bundle;
}

function read(name: string): RuntimeBundle {
  const code = readFileSync(join(FOLDER, name), 'utf8').trim();
  return { code, digest: createHash('sha256').update(code).digest('hex') };
}
