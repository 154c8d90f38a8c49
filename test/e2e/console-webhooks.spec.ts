import { documentOf, useConsole } from '../support/console';
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
