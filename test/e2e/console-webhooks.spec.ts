import { documentOf, submitPage, textOf, useConsole } from '../support/console';
import { subscribe } from '../support/webhooks';

/* The webhook pages. */

const stage = useConsole();

it('the webhook pages list webhooks by host, and show a webhook with its deliveries and a link to retry dead ones', async () => {
  const url = 'https://hooks.example.com/a-secret-path';
  const webhook = await subscribe(stage.make, ['snippet.errors'], { name: 'Chat', url });
  await stage.client.post(`${webhook.path}/test`);
  await stage.api.database.transaction((tx) => tx.query(`UPDATE webhook_deliveries SET status = 'dead'`));
  const admin = await stage.admin();
  const list = (await documentOf(admin, `${stage.make.project}/webhooks`)).querySelector('main');
  expect(list?.textContent).toContain('hooks.example.com');
  expect(list?.textContent).not.toContain('a-secret-path');
  const page = await documentOf(admin, webhook.path);
  expect(page.querySelector('main')?.textContent).toContain('webhook.test');
  expect(page.querySelector('main')?.textContent).not.toContain(webhook.secret);
  expect(page.querySelector('a[href$="/retry"]')?.getAttribute('aria-label')).toMatch(/^Retry delivery \d+$/);
});

it('a retried delivery of a webhook that is off is announced for later, unless it is a test', async () => {
  const admin = await stage.admin();
  const webhook = await subscribe(stage.make, ['snippet.errors']);
  await stage.client.patch(webhook.path, { is_active: false });
  const dead = async (type: string): Promise<string> => {
    const { body } = await stage.client.post(`${webhook.path}/test`);
    await stage.api.database.transaction((tx) =>
      tx.query(`UPDATE webhook_deliveries SET status = 'dead', type = ? WHERE id = ?`, [type, body.id]),
    );
    return `${webhook.path}/deliveries/${body.id}/retry`;
  };
  const retry = async (type: string): Promise<string[]> => {
    const form = await dead(type);
    const asked = textOf((await documentOf(admin, form)).querySelector('main form p'));
    const { location } = await submitPage(admin, form);
    const answer = await documentOf(admin, location!);
    return [asked, textOf(answer.querySelector('[role="status"].message'))];
  };
  expect(await retry('snippet.errors')).toEqual([
    expect.stringContaining('once the webhook is turned on'),
    expect.stringContaining('once the webhook is turned on'),
  ]);
  expect(await retry('webhook.test')).toEqual([
    'The test message is sent within seconds, without retries.',
    'The delivery is pending again and will be sent within seconds.',
  ]);
});
