import type { Page } from 'playwright-core';
import { describeInBrowser, misfits, Visit } from '../support/browser';
import { HOSTILE_NAME, LONG_NAME, useBrowser } from '../support/browser-scene';
import type { Made } from '../support/scene';

/* The console forms in a real browser. */

const FORMS = {
  'edit form': '/edit',
  'form for pages, audiences and goals': '/attachments',
  'form for another variation': '/variations/new',
  'status form': '/status?to=pause',
  'publish form': '/publish',
  'clone form': '/clone',
  'decision form': '/decision',
  'delete form': '/delete',
} as const;

describeInBrowser('the forms of the console', () => {
  const scene = useBrowser();
  let difficult: Made;

  beforeAll(async () => {
    const goals = [await scene.make.goal({ name: LONG_NAME }), await scene.make.goal({ name: HOSTILE_NAME })];
    difficult = await scene.make.withStatus('running', {
      name: LONG_NAME,
      goals: goals.map(({ id }) => id),
      description: HOSTILE_NAME,
      variations: [{ name: LONG_NAME }, { name: HOSTILE_NAME }],
      tags: [HOSTILE_NAME.slice(0, 50), LONG_NAME.slice(0, 50)],
    });
  });

  async function expectFit(visit: Visit): Promise<void> {
    await scene.expectFits(visit);
    expect(await misfits(visit.page)).toEqual([]);
  }

  it.each(Object.entries(FORMS))('%s fits the window and is accessible', async (_, path) => {
    await expectFit(await scene.visitAsAdmin(`${difficult.path}${path}`));
  });

  it('the goal form fits the window with long page names', async () => {
    await scene.make.page({ name: LONG_NAME });
    await expectFit(await scene.visitAsAdmin(`${scene.make.project}/goals/new`));
  });

  it.each(['/audiences/new', '/exclusion-groups/new'])(
    '%s fits the window and is accessible',
    async (path) => {
      await expectFit(await scene.visitAsAdmin(`${scene.make.project}${path}`));
    },
  );

  it('the messages of a rejected audience form link to the condition fields', async () => {
    const refused = await scene.visitAsAdmin(`${scene.make.project}/audiences/new`);
    const { page } = refused;
    await page.getByLabel('Name', { exact: true }).fill('Phones');
    await page.getByLabel('Condition 2', { exact: true }).selectOption('device');
    await page.getByLabel('Value of condition 2').fill('phone');
    await page.getByRole('button', { name: 'Create audience' }).click();
    await page.getByRole('alert').getByRole('link', { name: '“Value of condition 2” must be' }).click();
    expect(new URL(page.url()).hash).toBe('#conditions.2.value');
    expect(await page.getByLabel('Value of condition 2').inputValue()).toBe('phone');
    await expectFit(refused);
  });

  it('checkboxes keep their size next to long names', async () => {
    await scene.make.page({ name: LONG_NAME });
    const visit = await scene.visitAsAdmin(`${scene.make.project}/experiments/new`, {
      viewport: { width: 360, height: 740 },
    });
    const widths = 'Array.from(document.querySelectorAll("[type=checkbox]"), (box) => box.offsetWidth)';
    expect(new Set(await visit.page.evaluate<number[]>(widths))).toEqual(new Set([20]));
    await expectFit(visit);
  });

  const refuse = async (page: Page): Promise<void> => {
    await page.getByLabel('Name').fill(' ');
    await page.getByLabel('Traffic').fill('all of them');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
  };

  it('a rejected form fits the window and is accessible, and its messages link to the fields', async () => {
    const refused = await scene.visitAsAdmin(`${difficult.path}/edit`);
    await refuse(refused.page);
    expect(await refused.page.evaluate('document.activeElement.id')).toBe('name');
    await expectFit(refused);
    await refused.page.getByRole('alert').getByRole('link').nth(1).click();
    expect(new URL(refused.page.url()).hash).toBe('#traffic_allocation');
    expect(await refused.page.getByLabel('Traffic').inputValue()).toBe('all of them');
  });

  it('a text area keeps leading blank lines', async () => {
    const { path } = await scene.make.ready({ description: '\n\nBelow' });
    const { page } = await scene.visitAsAdmin(`${path}/edit`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await scene.client.get(path)).body).toMatchObject({ description: '\n\nBelow' });
  });

  it('the confirmation of a change is shown once, even after a reload or going back', async () => {
    const { path } = await scene.make.ready();
    const { page } = await scene.visitAsAdmin(`${path}/status?to=running`);
    const message = page.getByText('The experiment is running.', { exact: true });
    await page.getByRole('button', { name: 'Start' }).click();
    await message.waitFor();
    expect(page.url()).toBe(`${scene.origin}${path}`);
    await scene.client.patch(`${path}/status`, { status: 'pause' });
    await page.reload();
    expect(await message.count()).toBe(0);
    await page.getByRole('link', { name: 'Clone', exact: true }).click();
    await page.goBack();
    await page.getByRole('heading', { name: 'Next step' }).waitFor();
    expect(await message.count()).toBe(0);
  });

  it('a form whose record has changed in the meantime fits the window and is accessible', async () => {
    const experiment = await scene.make.ready({ name: 'Before' });
    const stale = await scene.visitAsAdmin(`${experiment.path}/edit`);
    await scene.client.patch(experiment.path, { name: LONG_NAME });
    await stale.page.getByLabel('Name').fill('Mine');
    await stale.page.getByRole('button', { name: 'Save' }).click();
    await stale.page.getByText(`Current value: ${LONG_NAME}`).waitFor();
    await expectFit(stale);
  });

  it.each([true, false])(
    'lead from a draft to an archived clone, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const experiment = await scene.make.ready({ name: 'Colour', example_url: 'https://shop.example/' });
      const { page, complaints } = await scene.visitAsAdmin(experiment.path, { javaScriptEnabled });
      const notice = page.getByRole('status').filter({ hasText: /\S/ }).first();
      await page.getByRole('link', { name: 'Start', exact: true }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Start?');
      await page.getByRole('button', { name: 'Start' }).click();
      expect(await notice.textContent()).toBe('The experiment is running.');
      await page.getByRole('link', { name: 'Pause', exact: true }).click();
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Clone', exact: true }).click();
      await page.getByLabel('Name').fill('Colour again');
      await page.getByRole('button', { name: 'Clone' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Colour again');
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      expect(await notice.textContent()).toContain('The experiment is in preview. Its preview links show');
      await page.getByRole('link', { name: 'Archive', exact: true }).click();
      await page.getByRole('button', { name: 'Archive' }).click();
      expect(await notice.textContent()).toContain('The experiment is archived.');
      expect(complaints).toEqual([]);
    },
  );

  it('are submitted once if their button is pressed twice', async () => {
    const experiment = await scene.make.ready({ name: 'Doubled' });
    const { page } = await scene.visitAsAdmin(`${experiment.path}/clone`);
    await page.getByLabel('Name').fill('Double click');
    await page.getByRole('button', { name: 'Clone' }).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Double click' }).waitFor();
    const { body } = await scene.client.get(`${scene.make.project}/experiments`);
    expect((body as Made[]).filter(({ name }) => name === 'Double click')).toHaveLength(1);
  });
});
