/* Runs the admin commands that it is sent, one after the other: by messages, and by a socket where it is given one. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const programs = await require('../../dist/src/start.js').loadPrograms();
const { runCommand } = await programs.admin();

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

async function run(args, environment) {
  const [stdout, stderr] = [caught(process.stdout), caught(process.stderr)];
  const code = await runCommand(args, environment);
  return { code, stdout: stdout(), stderr: stderr() };
}

process.on('message', async (args) => {
  process.send(await run(args, process.env));
});

/**
 * Runs a command of a shell as a process in its folder would, and answers with the exit code.
 * @param body where to write what it prints, its folder, the number of its arguments, these, and its variables
 */
async function runFromShell(body) {
  const [answers, folder, count, ...rest] = body.split('\0').slice(0, -1);
  const args = rest.splice(0, Number(count));
  process.chdir(folder);
  const variables = rest.map((entry) => /^([^=]*)=(.*)$/s.exec(entry).slice(1));
  const { code, stdout, stderr } = await run(args, Object.fromEntries(variables));
  writeFileSync(join(answers, 'stdout'), stdout);
  writeFileSync(join(answers, 'stderr'), stderr);
  return String(code);
}

const [, , socket] = process.argv;
if (socket !== undefined) {
  const server = createServer(async (request, response) => {
    response.end(await runFromShell(await text(request)));
  });
  server.listen(socket, () => process.send('listening'));
}
