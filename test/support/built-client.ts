import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './documents';

const run = promisify(execFile);
const CLIENT = join(ROOT, 'clients/typescript');
/**
 * Cache of the compiled client. All test files and runs on both engines share it, because compiling takes several
 * seconds.
 */
const KEPT = join(ROOT, 'node_modules/.cache/gosset-client');

/** The typed client, compiled into a separate folder. Code that uses the client can be compiled and run there. */
export class BuiltClient {
  private constructor(readonly folder: string) {}

  static async build(): Promise<BuiltClient> {
    const client = new BuiltClient(mkdtempSync(join(tmpdir(), 'gosset-client-')));
    cpSync(CLIENT, client.folder, {
      recursive: true,
      filter: (path) => !/node_modules|dist/.test(path.slice(CLIENT.length)),
    });
    const state = fingerprint(client.folder);
    const kept = join(KEPT, state);
    symlinkSync(join(ROOT, 'node_modules'), join(client.folder, 'node_modules'));
    const built = join(client.folder, 'dist');
    if (existsSync(kept)) {
      cpSync(kept, built, { recursive: true });
    } else {
      await client.compile('tsconfig.build.json');
      keep(built, state);
    }
    return client;
  }

  /** Runs the compiler. Throws an error with its output on failure. */
  compile(settings: string): ReturnType<typeof run> {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    return run(process.execPath, [compiler, '-p', settings], { cwd: this.folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * A cache key that depends on the client's sources and settings, and on all package versions, including the compiler's.
 */
function fingerprint(folder: string): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    hash.update(`\n${name}\n`).update(statSync(path).isFile() ? readFileSync(path) : '');
  }
  return hash.digest('hex');
}

/**
 * Stores the compiled version and deletes other cached versions. Other processes can store the same version
 * concurrently.
 */
function keep(built: string, state: string): void {
  mkdirSync(KEPT, { recursive: true });
  for (const other of readdirSync(KEPT).filter((name) => !name.startsWith(state))) {
    rmSync(join(KEPT, other), { recursive: true, force: true });
  }
  const draft = join(KEPT, `${state}.${process.pid}`);
  cpSync(built, draft, { recursive: true });
  try {
    renameSync(draft, join(KEPT, state));
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}
