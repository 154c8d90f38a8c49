import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createContext, runInContext } from 'node:vm';
import { parseHTML } from 'linkedom';
import { isCommand } from '../../src/publishing/runtime/snippet';
import { DEVICE_TYPES } from '../../src/events/device-types';
import { USER_AGENT } from '../support/browser';
import { storedEvents } from '../support/events';
import { ExampleServer, withServer } from '../support/example-server';
import { Made, useScene } from '../support/scene';
import { until } from '../support/waiting';

/* The examples: the back end runs against a server, and the pages run in a simulated document without the snippet. */

const EXAMPLES = join(__dirname, '../../examples');
const UUID = /^[\da-f-]{36}$/;
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const SNIPPET = /^http:\/\/localhost:3000\/s\/pk_\w+\.js$/;

describe('the example back end', () => {
  const scene = useScene();
  let experiment: Made;
  let goal: Made;
  let shop: ExampleServer;
  let clientKey = '';

  /**
   * Requests a page, without a cookie unless `headers` has one. Returns the shown text and the cookies of the response.
   */
  const visit = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
    // The user agent of Node.js is that of a bot, whose exposures are not stored.
    const answer = await fetch(shop.address + path, {
      method,
      headers: { 'user-agent': USER_AGENT, ...headers },
    });
    const given = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const [, shown = ''] = /<p>(.*)<\/p>/.exec(await answer.text()) ?? [];
    return {
      shown,
      cookie: given.join('; '),
      id: given[0] ?? '',
      visitor: (given[0] ?? '').replace(/.*=/, ''),
    };
  };

  const eventsOf = async (visitor: string) =>
    (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);

  beforeAll(async () => {
    await scene.api.app.listen(0, '127.0.0.1');
    const { port } = scene.api.app.getHttpServer().address() as AddressInfo;
    goal = await scene.make.goal({ name: 'Paid', value_type: 'revenue', trusted_only: true });
    experiment = await scene.make.withStatus('running', {
      ...{ name: 'Free shipping', goals: [goal.id] },
      variations: [
        { name: 'As it is', traffic_allocation: 0 },
        { name: 'Free', traffic_allocation: 100 },
      ],
    });
    const { id, client_key } = (await scene.client.get(scene.project)).body;
    clientKey = String(client_key);
    shop = await ExampleServer.start('back-end/server.mjs', {
      GOSSET_URL: `http://127.0.0.1:${port}`,
      GOSSET_PROJECT: String(id),
      GOSSET_EXPERIMENT: String(experiment.id),
      GOSSET_CLIENT_KEY: clientKey,
      GOSSET_TOKEN: await scene.api.token(scene.world.people.admin.id, 'write'),
    });
  });
  afterAll(() => shop.stop());

  it('shows the variation that the server decided, and reports payments as trusted events', async () => {
    const first = await visit('/');
    const second = await visit('/', 'GET', { cookie: first.cookie });
    const paid = await visit('/pay', 'POST', { cookie: `other=1; ${first.cookie}` });
    expect([first.shown, paid.shown, shop.complaints]).toEqual(['Free shipping', 'Thank you', '']);
    expect([first.id, second.id]).toEqual(Array(2).fill(`gosset_id_${clientKey}=${first.visitor}`));
    await until(async () => (await eventsOf(first.visitor)).length === 2);
    const events = await eventsOf(first.visitor);
    const [, free] = experiment.variations;
    expect(events).toContainEqual(expect.objectContaining({ variation_id: free.id }));
    expect(events).toContainEqual(expect.objectContaining({ goal_id: goal.id, value: 499_000 }));
  });

  it.each(['%', '%00', 'Zo%C3%AB', '', 'x'.repeat(65), '"', 'a%22%3B%20b'])(
    'gives a visitor with the cookie %j a new id, unless the cookie is valid',
    async (value) => {
      const { id: given, shown } = await visit('/', 'GET', { cookie: `gosset_id_${clientKey}=${value}` });
      const isOne = ['"', 'a%22%3B%20b'].includes(value);
      const id = isOne ? encodeURIComponent(decodeURIComponent(value)) : expect.stringMatching(UUID);
      expect([given.split('='), shown]).toEqual([[`gosset_id_${clientKey}`, id], 'Free shipping']);
    },
  );

  it('keeps the variation of a visitor when shares change, and ignores other cookies', async () => {
    const { cookie, id } = await visit('/');
    const [original, free] = experiment.variations;
    const path = `${experiment.path}/variations`;
    await scene.client.patch(`${path}/${free.id}`, { traffic_allocation: 0 });
    await scene.client.patch(`${path}/${original.id}`, { traffic_allocation: 100 });
    expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
    const shown = async (cookies: string) => (await visit('/', 'GET', { cookie: cookies })).shown;
    expect([await shown(cookie), await shown('')]).toEqual(['Free shipping', 'Shipping 4.90']);
    for (const value of ['%', '{', 'null', '5', '%7B%22a%22%3A1%7D']) {
      expect(await shown(`${id}; shop_bucketing=${value}`)).toBe('Shipping 4.90');
    }
    await scene.client.patch(`${path}/${original.id}`, { traffic_allocation: 0 });
    await scene.client.patch(`${path}/${free.id}`, { traffic_allocation: 100 });
    await scene.client.patch(`${experiment.path}/publish`);
  });

  it("sends the visitor's device and language", async () => {
    const { visitor } = await visit('/', 'GET', { 'user-agent': PHONE });
    expect(await eventsOf(visitor)).toMatchObject([{ device: DEVICE_TYPES.indexOf('mobile') }]);
    const german = await scene.make.audience({
      conditions: ['and', { type: 'language', match: 'starts_with', value: 'de' }],
    });
    const target = async (audiences: number[]) => {
      await scene.client.patch(experiment.path, { audiences });
      expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
    };
    await target([german.id]);
    const shown = async (languages: string) =>
      (await visit('/', 'GET', { 'accept-language': languages })).shown;
    expect(await shown('de-CH,en;q=0.5')).toBe('Free shipping');
    expect(await shown('en,de;q=0.5')).toBe('Shipping 4.90');
    await target([]);
  });

  it('shows the variation to bots without counting them', async () => {
    const { shown, visitor } = await visit('/', 'GET', { 'user-agent': 'Googlebot/2.1' });
    expect([shown, await eventsOf(visitor)]).toEqual(['Free shipping', []]);
  });

  it('serves the buyer even if the payment event is rejected, and logs the reason', async () => {
    const { cookie } = await visit('/');
    const goals = `${scene.project}/goals/${goal.id}`;
    const rename = async (name: string) => {
      await scene.client.patch(goals, { api_name: name });
      expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
    };
    await rename('bought');
    expect((await visit('/pay', 'POST', { cookie })).shown).toBe('Thank you');
    await until(() => shop.complaints.includes('unknown_event'));
    await rename('paid');
  });

  it('does not identify visitors without consent', async () => {
    const before = (await storedEvents(scene.api)).length;
    const { shown, cookie } = await visit('/', 'GET', { 'sec-gpc': '1' });
    await visit('/pay', 'POST', { 'sec-gpc': '1', cookie: `gosset_id_${clientKey}=known` });
    expect([shown, cookie, (await storedEvents(scene.api)).length]).toEqual(['Shipping 4.90', '', before]);
  });
});

describe('the first-experiment example', () => {
  const scene = useScene();
  const complaintOf = async (address: string, step = 'start'): Promise<string> => {
    const script = join(EXAMPLES, 'first-experiment.mjs');
    const env = { PATH: process.env.PATH, GOSSET_URL: address, GOSSET_TOKEN: scene.world.people.admin.token };
    const child = spawn(process.execPath, [script, step], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [complaint] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return complaint;
  };

  it('accepts an address with a trailing slash', async () => {
    await scene.api.app.listen(0, '127.0.0.1');
    const { port } = scene.api.app.getHttpServer().address() as AddressInfo;
    expect(await complaintOf(`http://127.0.0.1:${port}/`)).toContain('There is no "Demo".');
  });

  it('sends the conversion with the same message id in each run', async () => {
    const conversions: Promise<string>[] = [];
    const items = ['Demo', 'Shop', 'Newsletter outline'].map((name) => ({ id: 1, name, goals: [{ id: 1 }] }));
    const answer: RequestListener = (request, response) => {
      if (request.url === '/v1/track') {
        conversions.push(text(request));
      }
      response.end(JSON.stringify(request.method === 'GET' ? items : { experiments: [] }));
    };
    await withServer(answer, async (address) => {
      expect(await complaintOf(address, 'visit')).toBe('');
      expect(await complaintOf(address, 'visit')).toBe('');
    });
    const [first, second] = await Promise.all(conversions);
    expect(first).toContain('"messageId"');
    expect(second).toBe(first);
  });

  it('reports in one sentence that the address belongs to another server', async () => {
    await withServer(
      (_, response) => void response.end('<!doctype html>'),
      async (address) =>
        expect(await complaintOf(address)).toBe(
          `The server at ${address} is not Gosset. Set GOSSET_URL to the address of your server.\n`,
        ),
    );
  });
});

/** Runs the script of an example page in a simulated document, without a browser. */
function openPage(folder: string, script: string, search = '', stored = new Map<string, string>()) {
  const { document, window } = parseHTML(readFileSync(join(EXAMPLES, folder, 'index.html'), 'utf8'));
  const pushed: unknown[] = [];
  const surroundings = {
    ...{ document, URLSearchParams, location: { search }, history: { pushState: () => undefined } },
    window: { gosset: pushed, addEventListener: () => undefined },
    localStorage: { getItem: (key: string) => stored.get(key), setItem: stored.set.bind(stored) },
  };
  runInContext(readFileSync(join(EXAMPLES, folder, script), 'utf8'), createContext(surroundings));
  const send = (selector: string, type: string) =>
    document
      .querySelector(selector)
      ?.dispatchEvent(new window.Event(type, { bubbles: true, cancelable: true }));
  return { document, pushed, send };
}

describe('the example pages', () => {
  it.each([
    ['shop', 'shop.js'],
    ['single-page-application', 'app.js'],
  ])('of the %s load the snippet first', (folder, script) => {
    const [first] = openPage(folder, script).document.querySelectorAll('script, link, style');
    expect(first?.getAttribute('src')).toMatch(SNIPPET);
  });

  it('of the shop report an order', () => {
    const { pushed, send, document } = openPage('shop', 'shop.js');
    send('#order', 'submit');
    expect(pushed).toEqual([{ eventType: 'custom', eventName: 'order-placed', eventValue: 49.9 }]);
    expect(pushed.every(isCommand)).toBe(true);
    expect(document.querySelector('#thanks')?.hasAttribute('hidden')).toBe(false);
  });

  it('of the single-page application report attributes, consent and a subscription', () => {
    const stored = new Map<string, string>();
    const open = () => openPage('single-page-application', 'app.js', '?page=plans', stored);
    const beforeClick: unknown[] = [{ eventType: 'setAttributes', attributes: { plan: 'free' } }];
    const consent = { eventType: 'enableTrackingConsent' };
    const { pushed, send } = open();
    expect(pushed).toEqual(beforeClick);
    send('#consent', 'click');
    send('.subscribe', 'click');
    expect(pushed).toEqual([...beforeClick, consent, { eventType: 'custom', eventName: 'subscribed' }]);
    expect(pushed.every(isCommand)).toBe(true);
    expect(open().pushed).toEqual([...beforeClick, consent]);
  });
});
