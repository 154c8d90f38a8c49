import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of every snippet that is the same for all projects. */
export interface RuntimeBundle {
  /** Statements that declare a function `start` and other names, so they must be placed inside a function. */
  code: string;
  /** SHA-256 hash of the code in hexadecimal, which is the version of the runtime. */
  digest: string;
}

/** The folder to which the build writes the bundles. In tests, the test set-up writes them. */
const FOLDER = join(__dirname, 'runtime', 'bundles');

const bundles = new Map<string, RuntimeBundle>();

/** Optional parts of the runtime, which are included if a project needs them. */
export interface RuntimeNeeds {
  /** Device, browser and operating system from the user agent. Adds 8 KB. */
  agent?: boolean;
  /** The visitor's country, which is requested from the server. */
  country?: boolean;
}

/** The runtime for browsers, read on first use. */
export function runtimeBundle({ agent = false, country = false }: RuntimeNeeds): RuntimeBundle {
  const parts = [...(agent ? ['agent'] : []), ...(country ? ['country'] : [])];
  const name = parts.length === 0 ? 'main.js' : `main-with-${parts.join('-and-')}.js`;
  const bundle = bundles.get(name) ?? read(name);
  bundles.set(name, bundle);
  return bundle;
}

function read(name: string): RuntimeBundle {
  const code = readFileSync(join(FOLDER, name), 'utf8').trim();
  return { code, digest: createHash('sha256').update(code).digest('hex') };
}
