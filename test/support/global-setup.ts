import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Bundles the browser runtime, which the sources expect next to them. */
export default function globalSetup(): void {
  execFileSync(process.execPath, [join(__dirname, '../../scripts/bundles.mjs')], { stdio: 'inherit' });
}
