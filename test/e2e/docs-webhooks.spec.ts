import { spawnSync } from 'node:child_process';
import { Webhook as Signer } from 'standardwebhooks';
import { ModuleKind, transpileModule } from 'typescript';
import { blocksOf, readDocument } from '../support/documents';

/* The verification functions in docs/webhooks.md accept signatures of the library, and no others. */

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const MINUTE_MS = 60_000;

const codeIn = (language: string): string =>
  blocksOf(readDocument('docs/webhooks.md')).find((block) => block.language === language)?.text ?? '';

function message(at: Date, secrets = [SECRET], body = '{"type":"webhook.test"}') {
  const signatures = secrets.map((secret) => new Signer(secret).sign('msg_1', at, body)).join(' ');
  const time = String(Math.floor(at.getTime() / 1_000));
  return {
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': signatures },
    body,
    secret: SECRET,
  };
}

const now = new Date();
const CASES: [string, object, boolean][] = [
  ['a message', message(now), true],
  ['one with two signatures', message(now, [OTHER, SECRET]), true],
  ['one that is signed with another secret', message(now, [OTHER]), false],
  ['one that was changed', { ...message(now), body: '{"type":"project.published"}' }, false],
  ['one that is too old', message(new Date(now.getTime() - 10 * MINUTE_MS)), false],
  ['one without signature headers', { ...message(now), headers: {} }, false],
  [
    'one with malformed headers',
    {
      ...message(now),
      headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': 'soon', 'webhook-signature': 'v1,é' },
    },
    false,
  ],
  [
    'one with a malformed signature',
    { ...message(now), headers: { ...message(now).headers, 'webhook-signature': 'é' } },
    false,
  ],
];
const inputs = JSON.stringify(CASES.map(([, input]) => input));
const expected = CASES.map(([, , isGenuine]) => isGenuine);

function answersOf(command: string, args: string[]): boolean[] {
  const { stdout, stderr } = spawnSync(command, args, { input: inputs, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as boolean[];
}

it(`the TypeScript function distinguishes ${CASES.map(([name]) => name).join(', ')}`, () => {
  const { outputText } = transpileModule(codeIn('ts'), { compilerOptions: { module: ModuleKind.CommonJS } });
  const rest = `const all = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    console.log(JSON.stringify(all.map(({ headers, body, secret }) => isGenuine(headers, body, secret))));`;
  expect(answersOf(process.execPath, ['-e', `${outputText}\n${rest}`])).toEqual(expected);
});

const hasPython = spawnSync('python3', ['--version']).error === undefined;

(hasPython ? it : it.skip)('the Python function distinguishes the same cases', () => {
  const rest = `import json, sys
print(json.dumps([is_genuine(m["headers"], m["body"].encode(), m["secret"]) for m in json.load(sys.stdin)]))`;
  expect(answersOf('python3', ['-c', `${codeIn('python')}\n${rest}`])).toEqual(expected);
});
