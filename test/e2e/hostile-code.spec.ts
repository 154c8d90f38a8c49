import { send, whileLive } from '../support/hostile';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* Denial of service: code, styles, selectors or conditions that are hard to parse. */

const BYTES = 256 * 1024;

const scene = useScene();
let server: ServerProcess;
let experiment: Made;

/** Each test needs a fresh process, because V8 caches code that it has once compiled with enough stack. */
beforeEach(async () => {
  experiment = await scene.make.experiment();
  server = await (await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl })).ready();
});
afterEach(async () => {
  server.kill('SIGKILL');
  await server.exit;
});

const SCRIPTS = ['`${', '(', '[', '{', 'a=>', '!', 'a?b:', 'a+', 'if(a)', '/(', 'a<b>c`', 'a=`${b+', '\n'];
const STYLES = [
  '{',
  '(',
  '[',
  'a{',
  ':is(',
  '@media (',
  '@supports (not ',
  'a{b:c(',
  '/*',
  '\\',
  'a,',
  '@media x{',
];

const filled = (part: string, bytes = BYTES): string => part.repeat(Math.floor(bytes / part.length));
const halved = (opening: string, closing: string): string =>
  filled(opening, BYTES / 2) + closing.repeat(Math.floor(BYTES / 2 / opening.length) - 1);

async function tryOut(path: string, bodies: readonly object[]): Promise<void> {
  const headers = { authorization: `Bearer ${scene.world.people.admin.token}` };
  for (const body of bodies) {
    const answer = await whileLive(server, send(server, `/api${path}?dry_run=1`, body, headers));
    expect([200, 201, 422]).toContain(answer.status);
  }
}

it('hostile variation scripts do not stop the server', async () => {
  const scripts = SCRIPTS.flatMap((part) => [filled(part), halved(part, ')'), halved(part, '}')]);
  await tryOut(
    `${experiment.path}/variations`,
    scripts.map((js) => ({ name: 'Hostile', js })),
  );
});

it('hostile variation styles do not stop the server', async () => {
  const styles = STYLES.flatMap((part) => [filled(part), halved(part, ')'), halved(part, '}')]);
  await tryOut(
    `${experiment.path}/variations`,
    styles.map((css) => ({ name: 'Hostile', css })),
  );
});

it('hostile audience conditions do not stop the server', async () => {
  await tryOut(
    `${scene.project}/audiences`,
    SCRIPTS.map((part) => ({ name: 'Hostile', conditions: { type: 'javascript', value: filled(part) } })),
  );
});

it('hostile goal selectors do not stop the server', async () => {
  const selectors = [...STYLES, 'a:not(', 'a>', '[a=b]', '*|', ':nth-child(2n+'].map((part) =>
    filled(part, 2_048),
  );
  await tryOut(
    `${scene.project}/goals`,
    selectors.map((selector) => ({ name: 'Hostile', type: 'click', selector })),
  );
});
