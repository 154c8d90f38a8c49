import { formatDay } from '../../src/common/time/clock';
import { Cells, today } from '../support/cells';
import { documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';
import { USER_AGENT } from '../support/browser';
import { attributeAll, conversion, exposure, send } from '../support/events';
import type { Maker } from '../support/scene';
import type { Visitor } from '../support/visitor';

/*
 * The page with the recent messages of a project, and the card that shows whether the snippet is installed correctly.
 */

const stage = useConsole();
let admin: Visitor;
let number = 0;
beforeAll(async () => {
  admin = await stage.admin();
});

async function shop(): Promise<{ make: Maker; key: string }> {
  number += 1;
  const make = await stage.project(`Shop ${number}`);
  await make.goal({ name: 'Sale' });
  return { make, key: (await stage.client.get(make.project)).body.client_key as string };
}

const sendTo = (key: string, messages: unknown[], headers: Record<string, string> = {}) =>
  send(stage.api, key, messages, {}, { 'user-agent': USER_AGENT, ...headers });

const cardOf = async (make: Maker): Promise<string> => {
  const document = await documentOf(admin, make.project);
  return textOf(document.querySelector('#installation')!.parentElement);
};

describe('the live events', () => {
  it('explain the next step if a project has no messages', async () => {
    const { make } = await shop();
    const document = await documentOf(admin, `${make.project}/live-events`);
    expect(textsOf(document, 'h2')).toEqual(['0 messages']);
    expect(textOf(document.querySelector('main'))).toMatch(
      /No events have arrived since \d+ \w+ \d{4}, \d\d:\d\d UTC\. To see one:/,
    );
    const links = [...document.querySelectorAll('main ol a')].map((link) => link.getAttribute('href'));
    expect(links).toEqual([`${make.project}#snippet`]);
    const project = await documentOf(admin, make.project);
    expect(project.querySelector('#snippet')).not.toBeNull();
    const toHere = [...project.querySelectorAll('main a')].map((link) => link.getAttribute('href'));
    expect(toHere).toContain(`${make.project}/live-events`);
  });

  it('are shown with outcome and reason, and can be filtered', async () => {
    const { make, key } = await shop();
    await sendTo(key, [conversion('ann', 'sale'), conversion('ben', 'sail', 5)], {
      origin: 'https://shop.example.com',
    });
    await stage.api.as(null).post('//v1/batch', '{', { 'x-api-key': key });
    const path = `${make.project}/live-events`;
    const all = await documentOf(admin, path);
    expect(rowsOf(all).map(([, ...cells]) => cells)).toEqual([
      [
        'Request',
        'RefusedThe body is not JSON, does not have the required form, or did not arrive completely (400).invalid_body',
        '–no visitor',
        'Batch',
      ],
      [
        'sailvalue 5',
        'RejectedThe event does not name a goal of the project.unknown_event',
        'ben',
        'Batchshop.example.com',
      ],
      ['sale', 'Accepted', 'ann', 'Batchshop.example.com'],
    ]);
    expect(textsOf(all, '.choices-list a')).toEqual(['All 3', 'Accepted 1', 'Rejected 1', 'Refused 1']);
    const rejected = await documentOf(admin, `${path}?outcome=rejected`);
    expect(rowsOf(rejected).map(([, what]) => what)).toEqual(['sailvalue 5']);
    expect(rejected.querySelector('.choices-list [aria-current]')!.textContent).toBe('Rejected 1');
    const none = await documentOf(admin, `${path}?outcome=excluded`);
    expect(textOf(none.querySelector('main'))).toContain('None of these messages has this outcome.');
    const unknown = await documentOf(admin, `${path}?outcome=${encodeURIComponent('"><script>')}`);
    expect(rowsOf(unknown)).toHaveLength(3);
  });

  it('show hostile texts as text', async () => {
    const { make, key } = await shop();
    const hostile = '</td><script>alert(1)</script>\u202e';
    await sendTo(key, [
      { type: hostile, event: hostile, anonymousId: hostile, properties: { value: hostile } },
    ]);
    const { text } = await admin.get(`${make.project}/live-events`);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u202e');
    expect(text).toContain('&lt;script>alert(1)');
  });
});

describe('the installation card', () => {
  it('guides the user to the first event', async () => {
    const { make, key } = await shop();
    expect(await cardOf(make)).toContain('Add the snippet to your pages, open one of them in a browser');
    await stage.api.as(null).get(`//s/${key}.js`, { referer: 'https://shop.example.com/' });
    const installed = await cardOf(make);
    expect(installed).toContain('The snippet is installed, but no events have arrived yet.');
    expect(installed).toContain('Onshop.example.com');
    await sendTo(key, [conversion('ann', 'sale')]);
    expect(await cardOf(make)).toContain('Events are arriving.');
    await sendTo(key, [conversion('ann', 'sail'), conversion('ann', 'sail')]);
    const rejected = await cardOf(make);
    expect(rejected).toContain('most are rejected');
    expect(rejected).toContain('1 accepted, 2 rejected');
    expect(rejected).toContain('2 × unknown_event: The event does not name a goal of the project.');
  });

  it('names the experiments with a sample ratio mismatch', async () => {
    const { make, key } = await shop();
    const experiment = await make.withStatus('running', { name: 'Skewed' });
    const [original] = experiment.variations as { id: number }[];
    await sendTo(
      key,
      Array.from({ length: 100 }, (_, index) => exposure(`v${index}`, experiment.id, original.id)),
    );
    await attributeAll(stage.api);
    const card = await cardOf(make);
    expect(card).toContain('Mismatch in Skewed');
    expect(card).toContain('a running experiment has a sample ratio mismatch');
  });

  it('does not claim that events arrive, or that none ever arrived, once the server has forgotten them', async () => {
    const { make, key } = await shop();
    const experiment = await make.withStatus('running');
    const [original] = experiment.variations as { id: number }[];
    const imported = new Cells(stage.api, experiment.id);
    imported.entered({ variation: original.id, day: formatDay(today()) }, 5);
    await imported.store();
    const forgotten = 'No events have arrived recently, but earlier events are in the results.';
    expect(await cardOf(make)).toContain(forgotten);
    await stage.api.as(null).get(`//s/${key}.js`, { referer: 'https://shop.example.com/' });
    expect(await cardOf(make)).toContain(forgotten);
    imported.entered({ variation: original.id, day: formatDay(today()) }, 100);
    await imported.store();
    expect(await cardOf(make)).toContain('InstallationA running experiment has a sample ratio mismatch.');
  });

  it('does not report a passed sample ratio test before there is enough data for the test', async () => {
    const { make, key } = await shop();
    const experiment = await make.withStatus('running');
    expect(await cardOf(make)).toContain('Sample ratioNot tested yet');
    await make.withStatus('running');
    const [a, b] = experiment.variations as { id: number }[];
    await sendTo(
      key,
      Array.from({ length: 40 }, (_, index) => exposure(`v${index}`, experiment.id, [a, b][index % 2].id)),
    );
    await attributeAll(stage.api);
    expect(await cardOf(make)).toContain('Sample ratioPassed in 1 running experiment, not tested yet in 1');
  });

  it('says how many running experiments are not on the first page', async () => {
    const { make } = await shop();
    for (let count = 0; count < 25; count += 1) {
      await make.withStatus('running');
    }
    expect(await cardOf(make)).not.toContain('Does not include');
    await make.withStatus('running');
    expect(await cardOf(make)).toContain(
      'Does not include 1 running experiment on the next pages of the list.',
    );
  });
});
