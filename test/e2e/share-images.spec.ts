import { DOMParser } from 'linkedom';
import { LIGHT } from '../../src/presentation/styles/palette';
import { Cells } from '../support/cells';
import { useScene } from '../support/scene';
import { daysOfMay, fillDays, SharedExperiment, sharedExperiment, visit } from '../support/shared-experiment';

/* The plot images of a shared experiment, for use in wikis and e-mails. */

const scene = useScene();
let running: SharedExperiment;

beforeAll(async () => {
  running = await sharedExperiment(scene, { name: 'Checkout <b>&button' });
  await scene.make.move(running, 'running');
  await fillDays(scene, running, daysOfMay(10));
});

const addressOf = (
  experiment: SharedExperiment,
  query = '',
  goal: number | string = experiment.goals[0].id as number,
): string => `${experiment.address}/goals/${goal}.svg${query}`;

const get = (address: string, headers: Record<string, string> = {}) => visit(scene, address, headers);

/** The texts in an image. Fails if the SVG is not well-formed. */
function wordsOf(image: string): string[] {
  const document = new DOMParser().parseFromString(image, 'image/svg+xml');
  return [...document.querySelectorAll('title, desc, text')].map(({ textContent }) => textContent ?? '');
}

/** The texts joined into one string. */
const sentencesOf = (image: string): string => wordsOf(image).join(' ');

describe('the image of a goal', () => {
  it('can be embedded in any page', async () => {
    const { status, headers, text } = await get(addressOf(running));
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'no-cache',
      'x-robots-tag': expect.stringContaining('noindex'),
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|\son\w+=|<b>|href=|url\(|var\(--|currentColor/i);
  });

  it('contains the names of the goal, the metric, the experiment and the variations', async () => {
    const words = wordsOf((await get(addressOf(running))).text).join('\n');
    for (const part of [
      String(running.goals[0].name),
      'Conversion rate over time – Checkout <b>&button',
      'From 1 May 2026',
      ...running.variations.map(({ name }: { name?: unknown }) => String(name)),
      '95\u202f% confidence',
    ]) {
      expect(words).toContain(part);
    }
  });

  it('shows names that look like colours, and omits characters that XML forbids', async () => {
    const named = await sharedExperiment(scene, { name: 'fill="var(--ink)" currentColor\ufffe\uffff' });
    await scene.make.move(named, 'running');
    await fillDays(scene, named, daysOfMay(2));
    const { text } = await get(addressOf(named));
    expect(text).not.toMatch(/[\ufffe\uffff]/);
    expect(wordsOf(text)[0]).toContain('fill="var(--ink)" currentColor');
    expect(text).not.toMatch(/(fill|stroke)="(var|currentColor)/);
  });

  it('ends with the same figures as the results', async () => {
    const [, description] = wordsOf((await get(addressOf(running))).text);
    // 300 of 4,000 and 360 of 4,100 participants convert.
    expect(description).toMatch(/7\.50\u202f%.*8\.78\u202f%/);
  });

  it('shows the uplift on request', async () => {
    const [title, description] = wordsOf((await get(addressOf(running, '?kind=uplift'))).text);
    expect(title).toContain('Change from the original over time');
    // 360 of 4,100 vs. 300 of 4,000 participants convert.
    expect(description).toMatch(/\+17\.1\u202f%/);
    expect(description).not.toContain(String(running.variations[0].name));
  });

  it('applies the filter of the page', async () => {
    const words = wordsOf((await get(addressOf(running, '?endDate=2026-05-03&deviceTypes=desktop'))).text);
    expect(words[1]).toContain('From 1 May 2026 to 3 May 2026, 3 days.');
    expect(words.join(' ')).toContain('until 3 May 2026 and their conversions by then, on desktop devices.');
  });

  it('returns 304 while nothing has changed, and changes with the results', async () => {
    const shared = await sharedExperiment(scene);
    await scene.make.move(shared, 'running');
    const first = await get(addressOf(shared));
    expect(wordsOf(first.text)).toContain('Nothing to draw yet.');
    expect(first.text).not.toContain('shaded ranges');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W\/".+"$/);
    expect((await get(addressOf(shared), { 'if-none-match': etag })).status).toBe(304);
    await new Cells(scene.api, shared.id)
      .entered({ variation: shared.variations[0].id as number, day: '2026-05-03' }, 50)
      .store();
    const next = await get(addressOf(shared), { 'if-none-match': etag });
    expect(next.status).toBe(200);
    expect(wordsOf(next.text)).not.toContain('Nothing to draw yet.');
  });

  it.each([
    ['decrease', 'Below zero is better'],
    ['increase', 'Above zero is better'],
  ])('says which direction is better: %s', async (direction, words) => {
    const goal = await scene.make.goal({ direction });
    const shared = await sharedExperiment(scene, { goals: [goal.id] });
    await fillDays(scene, shared, daysOfMay(2), [
      { participants: 400, converters: 30 },
      { participants: 400, converters: 20 },
    ]);
    expect(sentencesOf((await get(addressOf(shared, '?kind=uplift'))).text)).toContain(words);
    const isSaid = sentencesOf((await get(addressOf(shared))).text).includes('Lower is better');
    expect(isSaid).toBe(direction === 'decrease');
  });

  it('marks an impossible interval as approximate', async () => {
    const shared = await sharedExperiment(scene);
    await fillDays(scene, shared, daysOfMay(1), [
      { participants: 4000, converters: 300 },
      { participants: 4000, converters: 2 },
    ]);
    const rough = 'A conversion rate cannot fall by more than 100\u202f%';
    expect(sentencesOf((await get(addressOf(shared, '?kind=uplift'))).text)).toContain(rough);
    expect(sentencesOf((await get(addressOf(running, '?kind=uplift'))).text)).not.toContain(rough);
    expect((await visit(scene, shared.address)).text).toMatch(/extends below −100\u202f%.*only approximate/);
  });

  it('warns of a sample ratio mismatch like the page, even if the filter excludes it', async () => {
    const wrong = await sharedExperiment(scene);
    await fillDays(scene, wrong, daysOfMay(1), [
      { participants: 700, converters: 30 },
      { participants: 300, converters: 20 },
    ]);
    const warning = 'Do not trust this result';
    for (const query of ['', '?kind=uplift', '?deviceTypes=tablet']) {
      const { text } = await get(addressOf(wrong, query));
      const [, description, ...words] = wordsOf(text);
      expect(description).toMatch(/^Do not trust this result\. .*The check fails for all participants\./);
      expect(words).toContain(warning);
      expect(text).toContain(`fill="${LIGHT['doubt-ground']}"`);
    }
    expect((await get(addressOf(running))).text).not.toContain(warning);
    expect((await visit(scene, wrong.address)).text).toContain(warning);
  });

  it('draws a separate plot for each variation if there are many', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `Variation ${index}`);
    const many = await sharedExperiment(scene, { variations: names.map((name) => ({ name })) });
    await scene.make.move(many, 'running');
    const cells = new Cells(scene.api, many.id);
    for (const { id } of many.variations) {
      cells.entered({ variation: id as number, day: '2026-05-01' }, 60);
    }
    await cells.store();
    const words = wordsOf((await get(addressOf(many))).text);
    expect(words.filter((word) => names.includes(word))).toEqual(names);
  });
});

describe('an invalid image URL', () => {
  it.each([
    ['a goal that is not attached', () => addressOf(running, '', 999_999)],
    ['a goal id that is not a number', () => addressOf(running, '', 'x')],
    ['another kind of file', () => addressOf(running).replace('.svg', '.png')],
    ['an unknown token', () => addressOf({ ...running, address: `//share/${'A'.repeat(43)}` })],
  ])('returns 404: %s', async (_, address) => {
    const { status, body } = await get(address());
    expect([status, body]).toEqual([404, { message: 'Not Found', code: 'NOT_FOUND' }]);
  });

  it('is rejected with all errors', async () => {
    const { status, body } = await get(addressOf(running, '?kind=pie&startDate=soon'));
    expect([status, (body as { errors: object }).errors]).toEqual([
      422,
      {
        kind: ['The kind must be one of: rate, uplift.'],
        startDate: ['The startDate must be a valid date in the format YYYY-MM-DD.'],
      },
    ]);
  });

  it('returns 404 if the experiment is deleted', async () => {
    const deleted = await sharedExperiment(scene);
    await scene.client.delete(deleted.path);
    expect((await get(addressOf(deleted))).status).toBe(404);
  });
});
