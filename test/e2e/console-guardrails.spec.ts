import { parseHTML } from 'linkedom';
import { Cells, ranFrom } from '../support/cells';
import { documentOf, submitForm, submitPage, textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { daysOfMay } from '../support/shared-experiment';
import type { Visitor } from '../support/visitor';

/* The guardrails of an experiment in the console: their form, and how a guardrail that got worse is shown. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

const read = async ({ path }: Made): Promise<Made> => (await stage.client.get(path)).body as Made;
const info = async ({ path }: Made): Promise<Made> =>
  (await stage.client.get(`${path}/results/info`)).body as Made;
const idsOf = ({ guardrails }: Made): number[] => guardrails.map(({ id }: Made) => id);
const check = ({ id }: Made): string => `guardrails.${id}`;

describe('the next step of an experiment without goals', () => {
  it('does not attach one of its guardrails as a goal', async () => {
    const shop = await stage.project('Two goals');
    const guardrail = await shop.goal({ name: 'Refund asked' });
    const { id: page } = await shop.page();
    const variations = [{ name: 'Original' }, { name: 'Variation' }];
    const experiment = await shop.experiment({ variations, pages: [page], guardrails: [guardrail.id] });
    const step = async () => (await documentOf(admin, experiment.path)).querySelector('.step');
    expect(textOf(await step())).toContain('The project has no other goal');
    const goal = await shop.goal({ name: 'Order placed' });
    expect(textOf(await step())).toContain('Order placed');
    const button = (await step())?.querySelector('form') ?? null;
    expect((await submitForm(admin, button)).status).toBe(303);
    expect((await read(experiment)).goals).toMatchObject([{ id: goal.id }]);
  });
});

describe('the guardrail form', () => {
  it('links to the goal form if the project has no goals to offer', async () => {
    const shop = await stage.project('No goals');
    const { path } = await shop.experiment();
    const paragraphs = [...(await documentOf(admin, `${path}/guardrails`)).querySelectorAll('main form p')];
    const text = paragraphs.find((each) => textOf(each).startsWith('The project has no other goal.'));
    const link = text?.querySelector('a')?.getAttribute('href') ?? '';
    expect(textOf((await documentOf(admin, link)).querySelector('h1'))).toBe('New goal');
  });

  it('is linked from the settings', async () => {
    const { path } = await stage.make.experiment();
    const facts = textsOf(await documentOf(admin, path), 'main dd');
    expect(facts).toContain('None Change the guardrails');
  });

  it('offers the project goals that are not goals of the experiment, starting with its guardrails', async () => {
    const [first, second, third] = [
      await stage.make.goal({ name: 'A page left' }),
      await stage.make.goal({ name: 'B refund asked' }),
      await stage.make.goal({ name: 'C error shown' }),
    ];
    const experiment = await stage.make.ready({ guardrails: [third.id] });
    const form = `${experiment.path}/guardrails`;
    const offered = [...(await documentOf(admin, form)).querySelectorAll('input[type=checkbox]')];
    const names = offered.map((input) => input.getAttribute('name'));
    expect(names[0]).toBe(check(third));
    expect(names).toEqual(expect.arrayContaining([check(first), check(second)]));
    expect(names).not.toContain(check(experiment.goals[0]));
    expect(offered.filter((input) => input.hasAttribute('checked'))).toHaveLength(1);
    const filled = { [check(third)]: 'on', [check(first)]: 'on', guardrail_action: 'pause' };
    expect((await submitPage(admin, form, filled)).location).toBe(`${experiment.path}?notice=saved`);
    const changed = await read(experiment);
    expect([idsOf(changed), changed.guardrail_action]).toEqual([[third.id, first.id], 'pause']);
    const page = await documentOf(admin, experiment.path);
    expect(textsOf(page, '#main, main').join()).toContain(
      'The experiment is paused when a guardrail is tripped.',
    );
    expect(textsOf(page, '[aria-labelledby=settings] a')).toContain('Change the guardrails');
  });

  it('removes all guardrails, and shows the equivalent curl command', async () => {
    const guardrail = await stage.make.goal();
    const experiment = await stage.make.ready({ guardrails: [guardrail.id], guardrail_action: 'pause' });
    const form = `${experiment.path}/guardrails`;
    const command = textOf((await documentOf(admin, form)).querySelector('.as-curl pre code'));
    expect(command).toContain(`"guardrails":[${guardrail.id}]`);
    expect(command).toContain('If-Match');
    await submitPage(admin, form, { [check(guardrail)]: '', guardrail_action: 'none' });
    expect(await read(experiment)).toMatchObject({ guardrails: [], guardrail_action: 'none' });
  });

  it('is rejected if the experiment has changed in the meantime, and for viewers', async () => {
    const experiment = await stage.make.ready();
    const form = `${experiment.path}/guardrails`;
    const opened = await documentOf(admin, form);
    const goal = await stage.make.goal();
    await stage.client.patch(experiment.path, { description: 'Changed' });
    const stale = Object.fromEntries(
      [...opened.querySelectorAll('form input[type=hidden]')].map((input) => [
        input.getAttribute('name') ?? '',
        input.getAttribute('value') ?? '',
      ]),
    );
    const refused = await admin.post(form, { ...stale, [check(goal)]: 'on', guardrail_action: 'none' });
    expect(refused.status).toBe(412);
    expect((await read(experiment)).guardrails).toEqual([]);
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    expect((await viewer.get(form)).status).toBe(403);
    expect(textsOf(await documentOf(viewer, experiment.path), 'a')).not.toContain('Change the guardrails');
  });

  it('is available to editors unless the experiment is running', async () => {
    const editor = await stage.visitorOf(stage.world.people.editor);
    const linksOn = async ({ path }: Made): Promise<string[]> =>
      textsOf(await documentOf(editor, path), '[aria-labelledby=settings] a');
    for (const [status, answer] of [
      ['draft', 200],
      ['pause', 200],
      ['running', 403],
    ] as const) {
      const experiment = await stage.make.withStatus(status);
      expect((await editor.get(`${experiment.path}/guardrails`)).status).toBe(answer);
      expect((await linksOn(experiment)).includes('Change the guardrails')).toBe(answer === 200);
    }
  });

  it('shows API errors', async () => {
    const experiment = await stage.make.ready();
    const own = experiment.goals[0] as Made;
    const answer = await submitPage(admin, `${experiment.path}/guardrails`, { [check(own)]: 'on' });
    expect(answer.status).toBe(422);
    const { document } = parseHTML(answer.text);
    expect(textOf(document.querySelector('#guardrails-error'))).not.toBe('');
  });
});

describe('a guardrail that got worse', () => {
  /**
   * Creates an experiment with these converters per day of the primary goal and the guardrail, and 1,000 visitors per
   * variation and day.
   */
  async function measured(
    status: 'running' | 'pause',
    [primary, kept]: [[number, number], [number, number]],
    numberOfDays = 10,
  ): Promise<Made> {
    const guardrail = await stage.make.goal({ name: 'Account kept' });
    const experiment = await stage.make.withStatus(status, { guardrails: [guardrail.id] });
    const days = daysOfMay(numberOfDays);
    await ranFrom(stage.api, experiment.id, days[0], days[numberOfDays - 1]);
    const cells = new Cells(stage.api, experiment.id);
    for (const day of days) {
      for (const [index, { id }] of (experiment.variations as Made[]).entries()) {
        const place = { variation: id, day };
        cells
          .entered(place, 1_000)
          .converted(experiment.goals[0].id as number, place, { converters: primary[index] })
          .converted(guardrail.id, place, { converters: kept[index] });
      }
    }
    await cells.store();
    return experiment;
  }

  it('is named in the headline, and in the next step if there is a winner', async () => {
    const experiment = await measured('running', [
      [100, 150],
      [300, 200],
    ]);
    const page = await documentOf(admin, experiment.path);
    const [headline, next] = ['[aria-label=Result]', '[aria-labelledby=next]'].map((selector) =>
      textOf(page.querySelector(selector)).replace(/[\u2068\u2069]/g, ''),
    );
    expect(headline).toContain('is better');
    expect(headline).toContain('worse on the guardrail Account kept');
    expect(headline).not.toContain('make');
    expect(next).toContain('Decide whether the gain is worth the loss');
    expect(next).not.toContain('Stop it');
    // A filter changes the figures but not the next step, which says so, even if the filter is invalid.
    for (const [filter, scope] of [
      ['startDate=2026-05-02', 'All participants: '],
      ['startDate=May', ''],
    ]) {
      const { document } = parseHTML((await admin.get(`${experiment.path}?${filter}`)).text);
      expect(textOf(document.querySelector('[aria-labelledby=next]'))).toBe(
        textOf(page.querySelector('[aria-labelledby=next]')).replace('Decide', `${scope}Decide`),
      );
    }
  });

  it('is in the list of experiments', async () => {
    const { path, project_id } = await measured('running', [
      [100, 150],
      [300, 200],
    ]);
    const document = await documentOf(admin, `/projects/${project_id}`);
    const [row] = [...document.querySelectorAll('tr')].filter((each) =>
      each.querySelector(`a[href="${path}"]`),
    );
    const text = textOf(row.querySelector('.listed-verdict')).replace(/[\u2068\u2069]/g, '');
    expect(text).toContain('Variation is better');
    expect(text).toContain('Variation is worse on the guardrail Account kept.');
  });

  it('shows its decision in the tables and in its section as soon as it trips, even before the minimum runtime', async () => {
    const experiment = await measured(
      'running',
      [
        [100, 100],
        [300, 200],
      ],
      3,
    );
    const { share_url } = await info(experiment);
    for (const url of [experiment.path, new URL(share_url as string).pathname]) {
      const { document } = parseHTML((await admin.get(url)).text);
      expect(textsOf(document, '.result-table td:last-child')).toEqual(['Too early', 'Worse']);
      expect(textsOf(document, '.verdict-cell')).toEqual(['Too early', 'Worse']);
      const sections = textsOf(document, '.goal-headline').map((text) => text.replace(/[\u2068\u2069]/g, ''));
      expect(sections).toEqual(['Original stays: Variation is worse']);
    }
  });

  it('determines the next step before the primary goal is decided', async () => {
    const experiment = await measured('running', [
      [100, 100],
      [300, 200],
    ]);
    const page = await documentOf(admin, experiment.path);
    const text = textOf(page.querySelector('main')).replace(/[\u2068\u2069]/g, '');
    expect(text).toContain('Pause the experiment, or accept the loss');
    expect(text).not.toContain('Keep the experiment running');
    const share = await admin.get(new URL((await info(experiment)).share_url as string).pathname);
    expect(share.text.replace(/[\u2068\u2069]/g, '')).toContain('worse on the guardrail Account kept.');
  });

  it('is shown at the top if it has paused the experiment', async () => {
    const experiment = await stage.make.withStatus('pause');
    await stage.api.database.writer.query('UPDATE experiments SET paused_reason = ? WHERE id = ?', [
      'Guardrail “Refunds”: it is worse.',
      experiment.id,
    ]);
    expect(textsOf(await documentOf(admin, experiment.path), 'main > .message')).toContain(
      'The server paused the experiment. Guardrail “Refunds”: it is worse.',
    );
  });

  it('can be downloaded like a goal', async () => {
    const experiment = await measured('pause', [
      [100, 100],
      [300, 300],
    ]);
    const page = await documentOf(admin, experiment.path);
    const links = [...page.querySelectorAll('[aria-labelledby=downloads] li a')];
    expect(links.map(textOf)).toEqual(['Goal (CSV)', 'Account kept (guardrail, CSV)']);
    expect((await admin.get(links[1].getAttribute('href') ?? '')).status).toBe(200);
  });
});
