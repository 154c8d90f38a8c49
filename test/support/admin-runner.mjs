/* Runs the admin commands that it is sent, one after the other. */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { runAdmin } = require('../../dist/src/admin/program.js');
const loadEntities = async () => require('../../dist/src/entities.js').entities;

/** Keeps what is written to a stream, until it is told to stop. */
function caught(stream) {
  const write = stream.write;
  let text = '';
  stream.write = (chunk, encoding, done) => {
    text += String(chunk);
    const callback = typeof encoding === 'function' ? encoding : done;
    callback?.();
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}

process.on('message', async (args) => {
  const [stdout, stderr] = [caught(process.stdout), caught(process.stderr)];
  const code = await runAdmin(args, process.env, loadEntities);
  process.send({ code, stdout: stdout(), stderr: stderr() });
});
