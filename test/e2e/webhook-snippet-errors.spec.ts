import { randomUUID } from 'node:crypto';
import { BackgroundLoop } from '../../src/common/background-worker';
import { formatMicros } from '../../src/common/time/clock';
import { SnippetErrorReports } from '../../src/events/snippet-error-log';
import type { TestApi } from '../support/api';
import { newSite, type Site } from '../support/delivery';
import { send } from '../support/events';
import { useScene } from '../support/scene';
import { eventually } from '../support/waiting';
import { bodiesFor, subscribe } from '../support/webhooks';

/* Webhook events about snippet errors. */

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;

const scene = useScene();

afterEach(() => jest.restoreAllMocks());

/** Sends `count` error reports from a page. */
async function failOn(api: TestApi, { key }: Site, count: number): Promise<void> {
  const error = { build: '', where: 'js', message: 'TypeError: x is null' };
  const message = () => ({
    type: 'error',
    anonymousId: 'visitor',
    messageId: randomUUID(),
    properties: error,
    context: { library: { name: 'gosset.js' } },
  });
  const messages = Array.from({ length: count }, message);
  const answer = await send(api, key, messages, {}, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' });
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ rejected: 0 })]);
}

it('snippet errors are reported immediately, then at most once an hour with the number of errors, even after an outage', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const reports = scene.api.app.get(SnippetErrorReports, { strict: false });
  // The background loop is disabled, because the test decides when errors are counted.
  jest.spyOn(BackgroundLoop.prototype, 'start').mockReturnValue();
  const fail = (count: number): Promise<void> => failOn(scene.api, site, count);
  const counts = async (): Promise<unknown[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ data }) => data.count);
  const start = Date.now() * 1_000;
  await fail(2);
  await reports.flush(start);
  expect(await counts()).toEqual([2]);
  await fail(3);
  await reports.flush(start + MINUTE);
  await fail(1);
  await reports.flush(start + HOUR - 1);
  expect(await counts()).toEqual([2]);
  await fail(3);
  const outage = jest.spyOn(scene.api.database, 'transaction').mockRejectedValueOnce(new Error('outage'));
  await expect(reports.flush(start + HOUR)).rejects.toThrow('outage');
  outage.mockRestore();
  await reports.flush(start + HOUR);
  await reports.flush(start + 3 * HOUR);
  expect(await counts()).toEqual([2, 7]);
  const [, second] = await bodiesFor(scene.api, webhook);
  expect(second.data).toMatchObject({ project_id: site.projectId, count: 7 });
  expect(Date.parse(String(second.data.since)) * 1_000).toBeGreaterThanOrEqual(start);
});

it('snippet errors are reported since the first one, even if a different process stores later ones first', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  jest.spyOn(BackgroundLoop.prototype, 'start').mockReturnValue();
  const sibling = await scene.api.sibling();
  const [own, others] = [scene.api, sibling].map((api) =>
    api.app.get(SnippetErrorReports, { strict: false }),
  );
  await failOn(scene.api, site, 1);
  const start = (Date.now() + 1) * 1_000;
  const [early, late] = [start + MINUTE, start + 2 * MINUTE];
  await own.flush(start + 10_000_000);
  others.count(site.projectId, 1, early);
  own.count(site.projectId, 1, late);
  await own.flush(late + MINUTE);
  await others.flush(start + 2 * HOUR);
  const [first, second] = (await bodiesFor(scene.api, webhook)).map(({ data }) => data);
  expect(Date.parse(String(first.since)) * 1_000).toBeLessThanOrEqual(start);
  expect(second).toMatchObject({ count: 2, since: formatMicros(early) });
  await sibling.close();
});

it('snippet errors that were counted just before the server stopped are reported', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const server = await scene.api.sibling();
  await failOn(server, site, 3);
  await server.close();
  expect((await bodiesFor(scene.api, webhook)).map(({ data }) => data.count)).toEqual([3]);
});

it('snippet errors that are waiting for the next report are sent after a restart, even without a new error', async () => {
  const site = await newSite(scene);
  const webhook = await subscribe(site.make, ['snippet.errors']);
  const counts = async (): Promise<unknown[]> =>
    (await bodiesFor(scene.api, webhook)).map(({ data }) => data.count);
  for (const count of [1, 2]) {
    const server = await scene.api.sibling();
    await failOn(server, site, count);
    await server.close();
  }
  expect(await counts()).toEqual([1]);
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE snippet_error_counts SET told_at = told_at - ? WHERE project_id = ?', [
      HOUR,
      site.projectId,
    ]),
  );
  const restarted = await scene.api.sibling({ WORKER: 'inline' });
  await eventually(async () => (await counts()).length > 1);
  await restarted.close();
  expect(await counts()).toEqual([1, 2]);
});
