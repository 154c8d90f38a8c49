/*
 * Runs admin commands one at a time: `admin-runner.mjs <folder>`. Commands arrive as IPC messages from the parent
 * process and over a socket in the folder. The runner exits with its parent process, after removing the folder.
 */

import { Buffer } from 'node:buffer';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const { stopLeftovers } = require('../runner/leftovers.cjs');
const programs = await require('../../dist/src/start.js').loadPrograms();
const { runCommand } = await programs.admin();

// Commands do not remove their listeners, because their process usually ends.
process.stdout.setMaxListeners(0);

/** Captures the output to a stream. @returns a function that restores the stream and returns the output */
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
  stopLeftovers();
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Replaces the standard input. @returns a function that restores it */
function giveInput(input) {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin');
  const value = Readable.from([Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { configurable: true, value });
  return () => Object.defineProperty(process, 'stdin', own);
}

process.on('message', async ({ args, folder, variables, input }) => {
  process.chdir(folder);
  const takeInput = giveInput(input);
  const answer = await run(args, variables).finally(takeInput);
  process.send(answer);
});

/**
 * Runs a command for a shell, as a process in the shell's folder would run it, and writes the output to files.
 * @param body the folder for the output files, the shell's folder, the number of arguments, the arguments, and the
 * environment variables
 * @returns the exit code
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

const [, , folder] = process.argv;
const server = createServer(async (request, response) => {
  response.end(await runFromShell(await text(request)));
});
server.listen(join(folder, 'socket'), () => process.send('listening'));

process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
