import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Bundles the browser runtime, because the sources read the bundles from `src/publishing/runtime/bundles`. */
export default function globalSetup(): void {
  execFileSync(process.execPath, [join(__dirname, '../../scripts/bundles.mjs')], { stdio: 'inherit' });
}
