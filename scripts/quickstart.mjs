import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { node, prepareServer, root } from './lib.mjs';

/** The server loads ES modules by require(), which these releases allow without a flag. */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 23;
}

function serve() {
  const server = spawn(process.execPath, [join('dist', 'src', 'main.js')], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => server.kill(signal));
  }
  server.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

if (!isSupported(process.versions.node)) {
  console.error(
    `Gosset needs Node 20.19 or later (of Node 22, 22.12 or later); this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}

prepareServer();
const seeded = node([join('dist', 'src', 'admin.js'), 'db:seed-demo', '--quickstart']);
if (seeded !== 0) {
  process.exit(seeded);
}
serve();
