import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './documents';

const run = promisify(execFile);
const CLIENT = join(ROOT, 'clients/typescript');

/** The typed client, compiled in a folder of its own, where code that uses it can be compiled and run. */
export class BuiltClient {
  private constructor(readonly folder: string) {}

  static async build(): Promise<BuiltClient> {
    const client = new BuiltClient(mkdtempSync(join(tmpdir(), 'gosset-client-')));
    cpSync(CLIENT, client.folder, {
      recursive: true,
      filter: (path) => !/node_modules|dist/.test(path.slice(CLIENT.length)),
    });
    symlinkSync(join(ROOT, 'node_modules'), join(client.folder, 'node_modules'));
    await client.compile('tsconfig.build.json');
    return client;
  }

  /** Runs the compiler; fails with what it says. */
  compile(settings: string): ReturnType<typeof run> {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    return run(process.execPath, [compiler, '-p', settings], { cwd: this.folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
