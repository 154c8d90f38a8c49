import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Bundles the browser runtime, which the sources read from beside them. */
export default function globalSetup(): void {
  execFileSync(process.execPath, [join(__dirname, '../../scripts/bundles.mjs')], { stdio: 'inherit' });
}
