import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { exposureHook } from '../../clients/openfeature/exposure-hook';
import { until } from '../support/waiting';

/* The OpenFeature hook, used with a server that rejects some exposures. */

let server: Server;
let status: number;
let visitors: string[];
let hook: ReturnType<typeof exposureHook>;

beforeEach(async () => {
  [status, visitors] = [200, []];
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const { batch } = body as { batch: { anonymousId: string }[] };
      visitors.push(...batch.map(({ anonymousId }) => anonymousId));
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hook = exposureHook(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'pk_test');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const evaluate = (targetingKey: string): void =>
  hook.after({ context: { targetingKey } }, { flagMetadata: { experiment_id: 1001, variation_id: 5001 } });

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
