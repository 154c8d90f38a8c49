import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { exposureHook } from '../../clients/openfeature/exposure-hook';
import { ROOT } from '../support/documents';
import { until } from '../support/waiting';

/* The OpenFeature hook, used with a server that rejects some exposures. */

let server: Server;
let status: number;
let receipt: string;
let visitors: string[];
let agents: unknown[];
let hook: ReturnType<typeof exposureHook>;

beforeEach(async () => {
  [status, receipt, visitors, agents] = [200, '{}', [], []];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const { batch } = body as { batch: { anonymousId: string; context: { userAgent?: string } }[] };
      visitors.push(...batch.map(({ anonymousId }) => anonymousId));
      agents.push(...batch.map(({ context }) => context.userAgent));
      response.writeHead(status).end(receipt);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hook = exposureHook(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'pk_test');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const evaluate = (targetingKey: string, userAgent?: string): void =>
  hook.after(
    { context: { targetingKey, userAgent } },
    { flagMetadata: { experiment_id: 1001, variation_id: 5001 } },
  );

it.each([404, 408, 429, 500, 503])(
  'the hook retries an exposure after a response with the status %i',
  async (refusal) => {
    status = refusal;
    evaluate('visitor');
    await until(() => visitors.length === 1);
    status = 200;
    await until(() => {
      evaluate('visitor');
      return visitors.length > 1;
    });
    expect(visitors.length).toBeGreaterThan(1);
  },
);

it.each([
  ['rejected exposures', '{"success":true,"accepted":0,"rejected":1}'],
  ['no receipt', '<html>'],
])('the hook retries an exposure after a response with %s', async (_, answer) => {
  receipt = answer;
  evaluate('visitor');
  await until(() => visitors.length === 1);
  receipt = '{"success":true,"accepted":1,"rejected":0}';
  await until(() => {
    evaluate('visitor');
    return visitors.length > 1;
  });
  expect(visitors.length).toBeGreaterThan(1);
});

it('the hook sends the user agent of the evaluation context, which identifies bots', async () => {
  evaluate('visitor', 'Googlebot/2.1');
  await until(() => agents.length === 1);
  expect(agents).toEqual(['Googlebot/2.1']);
});

it.each([200, 401])(
  'the hook does not retry an exposure after a response with the status %i',
  async (answer) => {
    status = answer;
    evaluate('visitor');
    await until(() => visitors.length === 1);
    for (let time = 0; time < 20; time += 1) {
      evaluate('visitor');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    evaluate('another');
    await until(() => visitors.includes('another'));
    expect(visitors).toEqual(['visitor', 'another']);
  },
);

it('the hook keeps a limited number of visitors in memory', async () => {
  const sending = jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(() => Promise.resolve(new Response('{}')));
  try {
    for (let number = 0; number < 20_001; number += 1) {
      evaluate(`visitor-${number}`);
    }
    evaluate('visitor-20000');
    expect(sending).toHaveBeenCalledTimes(20_001);
    evaluate('visitor-0');
    expect(sending).toHaveBeenCalledTimes(20_002);
  } finally {
    sending.mockRestore();
  }
});

it('the hook compiles with the options of a new TypeScript project', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-hook-'));
  const tsc = (...options: string[]) => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    return promisify(execFile)(process.execPath, [compiler, ...options], { cwd: folder });
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync(join(ROOT, 'clients/openfeature/exposure-hook.ts'), join(folder, 'exposure-hook.ts'));
  await tsc('--init');
  const { stdout } = await tsc('--noEmit').catch((failure: unknown) => failure as { stdout: string });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe('');
});
