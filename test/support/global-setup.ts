import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Bundles the browser runtime, because the sources expect the bundles in their folder. */
export default function globalSetup(): void {
  execFileSync(process.execPath, [join(__dirname, '../../scripts/bundles.mjs')], { stdio: 'inherit' });
}
