/* The ports of the quick start, the programs that use them, and free ports. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const MAX_PORT = 65_535;

/** The ports of the server and the demo shop. If they are not numbers, the server reports the error. */
export function portsOf({ HOST, PORT, DEMO_PORT, PUBLIC_URL }) {
  const port = Number(PORT || 3000);
  const isNext = URL.canParse(PUBLIC_URL ?? '') && new URL(PUBLIC_URL).port === String(port + 1);
  const demoPort = Number(DEMO_PORT || port + (isNext ? 2 : 1));
  const isUsable = (number) => Number.isInteger(number) && number > 0 && number <= MAX_PORT;
  return { host: HOST || '127.0.0.1', port, demoPort, used: [port, demoPort].filter(isUsable) };
}

/** The reasons why the quick start cannot listen; empty if it can. */
export async function portProblems(environment) {
  const { host, port, used } = portsOf(environment);
  const problems = [];
  for (const each of used) {
    if (await isTaken(each, host)) {
      problems.push(`Port ${each} (${each === port ? 'server' : 'demo shop'}) is used by ${userOf(each)}.`);
    }
  }
  const free = problems.length === 0 ? 0 : await freePair(port + 1000, host);
  const stop = 'Stop that program, or choose another port for the server; the shop uses the next one:';
  return free === 0 ? problems : [...problems, `${stop} PORT=${free} npm run quickstart`];
}

/** Whether a port is in use. Also checks IPv6, which browsers may prefer for `localhost`. */
async function isTaken(port, host) {
  const hosts = host === '127.0.0.1' ? [host, '::1'] : [host];
  const errors = await Promise.all(hosts.map((each) => listenError(port, each)));
  return errors.includes('EADDRINUSE');
}

function listenError(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }) => resolve(code));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/** A free port. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The lower of two adjacent free ports. */
async function freePair(from, host) {
  for (let port = from; port < MAX_PORT; port += 1000) {
    if (!(await isTaken(port, host)) && !(await isTaken(port + 1, host))) {
      return port;
    }
  }
  return from;
}

/** A description of the program that uses a port. The names of other users' programs are unknown. */
function userOf(port) {
  const lsof = textOf('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']);
  const [, pid, name] = /^p(\d+)\n(?:.*\n)*?c(.+)$/m.exec(lsof) ?? [];
  if (pid !== undefined) {
    return `process ${pid} (${name})`;
  }
  const ss = textOf('ss', ['-Hltnp', `sport = :${port}`]);
  const [, itsName, itsPid] = /users:\(\("([^"]+)",pid=(\d+)/.exec(ss) ?? [];
  return itsPid === undefined ? 'another program' : `process ${itsPid} (${itsName})`;
}

/** The output of a program; empty if it is not installed. */
const textOf = (program, args) => spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';
