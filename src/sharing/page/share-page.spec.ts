import { parseHTML } from 'linkedom';
import { GREEN_BUTTON, MadeExperiment, shareModel } from '../../../test/support/share-models';
import { sampleRatioOfPhases } from '../../statistics/srm';
import type { ShareModel } from '../share-model';
import { renderSharePage } from './share-page';

interface Part {
  textContent: string;
  tagName: string;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
}

async function render(model: ShareModel): Promise<{ text: string; page: Part }> {
  const text = await renderSharePage(model, { base: '', image: 'https://ab.example.com/assets/preview.png' });
  return { text, page: parseHTML(text).document as unknown as Part };
}

const made = (experiment: MadeExperiment = {}) => render(shareModel(experiment));
const all = (page: Part, selector: string): Part[] => [...page.querySelectorAll(selector)];
const textsOf = (page: Part, selector: string): string[] =>
  all(page, selector).map(({ textContent }) =>
    textContent.replace(/[\u2068\u2069]/g, '').replaceAll('\u202f', ' '),
  );

const SCRIPT = '</title></style></svg><script>alert(1)</script>"\'>';

describe('the results page', () => {
  it('has one first-level heading and skips no level', async () => {
    const { page } = await made({ goals: [{ name: 'Order' }, { name: 'Visit' }] });
    const levels = all(page, 'h1, h2, h3, h4').map(({ tagName }) => Number(tagName.slice(1)));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
  });

  it('has tables with captions and scopes, and unique ids', async () => {
    const { page } = await made({ goals: [{ name: 'Order' }, { name: 'Visit' }] });
    const tables = all(page, 'table');
    expect(tables).toHaveLength(8);
    expect(tables.every((table) => (table.querySelector('caption')?.textContent ?? '') !== '')).toBe(true);
    expect(all(page, 'th').every((cell) => cell.getAttribute('scope') !== null)).toBe(true);
    const ids = all(page, '[id]').map((part) => part.getAttribute('id'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has names and descriptions for its images', async () => {
    const { page } = await made();
    const images = all(page, 'svg[role="img"]');
    expect(images).toHaveLength(2);
    for (const image of images) {
      const [title, description] = (image.getAttribute('aria-labelledby') ?? '').split(' ');
      expect(page.querySelector(`[id="${title}"]`)?.textContent).toMatch(/over time$/);
      expect(page.querySelector(`[id="${description}"]`)?.textContent).toMatch(
        /^From 1 May 2026 to 12 May 2026, 12 days\. At the end: /,
      );
    }
  });

  it('tells long names apart in the figures of a day', async () => {
    const [first, second] = ['A', 'B'].map((end) => `Checkout button with longer headline ${end}`);
    const variations = GREEN_BUTTON.map((variation, index) => ({
      ...variation,
      name: [first, second][index],
    }));
    const { page } = await made({ days: 1, variations });
    const [label = ''] = all(page, '.reading').map((reading) => reading.getAttribute('aria-label') ?? '');
    expect(label.split('. ')).toEqual([
      '1 May 2026',
      expect.stringMatching(`^${first} \\d`),
      expect.stringMatching(`^${second} \\d`),
    ]);
    expect(textsOf(page, '.reading tspan').slice(0, 3)).toEqual([
      '1 May 2026',
      expect.stringMatching(/^…with longer headline A \d/),
      expect.stringMatching(/^…with longer headline B \d/),
    ]);
  });

  it('explains that the sample ratio of few participants was not tested', async () => {
    const checkOf = async (perDay: number): Promise<string> => {
      const variations = GREEN_BUTTON.map((variation) => ({ ...variation, perDay }));
      const { page } = await made({ days: 1, variations });
      return textsOf(page, '.health dd')[0];
    };
    expect(await checkOf(2)).toContain('Not checked yetThere are too few participants.');
    expect(await checkOf(100)).toContain('PassedThe participants are split according to the shares.');
  });

  // The first phase is excluded, because fewer than 5 participants are expected in its second variation. The 10
  // participants of the other phase are too few to test.
  it('explains that the tested phases have too few participants', async () => {
    const model = shareModel();
    const sampleRatio = sampleRatioOfPhases([
      { counts: [396, 4], weights: [99, 1] },
      { counts: [10, 0], weights: [50, 50] },
    ]);
    const { page } = await render({
      ...model,
      results: { ...model.results, participants: 410, sampleRatio },
    });
    expect(textsOf(page, '.health dd')[0]).toContain('Not checked yetThere are too few participants.');
  });

  it.each([
    [400, 'Passed in part', '400 participants of 1 400 were tested, and are split according to the shares. '],
    [10, 'Not checked yet', 'Too few participants can be tested. '],
  ])('names the participants whose sample ratio cannot be tested (%s can)', async (tested, word, detail) => {
    const model = shareModel();
    const sampleRatio = sampleRatioOfPhases([
      { counts: [tested / 2, tested / 2], weights: [50, 50] },
      { counts: [300, 700], weights: [50, 50], isUnequallyDepleted: true },
    ]);
    const results = { ...model.results, participants: tested + 1_000, sampleRatio };
    const { page } = await render({ ...model, results });
    expect(textsOf(page, '.health dd')[0].replace(/\s/g, ' ')).toBe(
      `${word}${detail}1 000 participants cannot be tested, because the shares changed after the traffic had been below 100 %.`,
    );
  });

  it('says that few participants in a phase were not tested', async () => {
    const model = shareModel();
    const sampleRatio = sampleRatioOfPhases([
      { counts: [200, 200], weights: [50, 50] },
      { counts: [3, 0], weights: [90, 10] },
    ]);
    const { page } = await render({
      ...model,
      results: { ...model.results, participants: 403, sampleRatio },
    });
    expect(textsOf(page, '.health dd')[0].replace(/\s/g, ' ')).toBe(
      'Passed400 participants of 403 were tested, and are split according to the shares. 3 participants cannot be tested, because too few entered between changes of the shares.',
    );
  });

  it('shows the figures with their intervals', async () => {
    const { page } = await made();
    expect(textsOf(page, '.result-table tbody tr').map((row) => row.replace(/\s+/g, ' '))).toEqual([
      expect.stringMatching(
        /^Order placedPrimary goalConversion rate, original \d\.\d\d %Green button\d\.\d\d %[+−]\d+\.\d %−\d+ % to \+\d+ %Not certain$/,
      ),
    ]);
    const cells = textsOf(page, '.goal .table-cards tbody tr').map((row) => row.replace(/\s+/g, ' '));
    expect(cells[0]).toMatch(/^Original\d+of [\d ]+\d\.\d\d %\d\.\d % to \d\.\d %–none–noneOriginal$/);
    expect(cells[1]).toMatch(
      /^Green button\d+of [\d ]+\d\.\d\d %\d\.\d % to \d\.\d %[+−]\d\.\d\d points−\d\.\d to \+\d\.\d points[+−]\d+\.\d %−\d+ % to \+\d+ %Not certain$/,
    );
  });

  it('shows days, participants, shares, certainty and crossovers', async () => {
    const model = shareModel();
    const { page } = await render(model);
    const participants = model.results.participants.toLocaleString('en').replace(',', ' ');
    expect(textsOf(page, '.facts dd')).toEqual([participants, '11 days', '95 %']);
    expect(textsOf(page, '.health-list dd').slice(0, 2)).toEqual([
      'PassedThe participants are split according to the shares.',
      expect.stringMatching(/^0\.0\d+ %3 participants$/),
    ]);
    expect(textsOf(page, '.participants tbody tr')[0]).toMatch(/^Original[\d ]+\.?\d* %$/);
    expect(textsOf(page, '.meta time')).toEqual(['12 May 2026, 16:00 UTC', '12 May 2026, 15:58 UTC']);
    expect(textsOf(page, '.status')).toEqual(['Running']);
    expect(textsOf(page, '.notes dd').join(' ')).toContain('at most 1 experiment in 20');
  });

  it.each([
    ['sequential', 'Valid on every day'],
    ['frequentist', 'Decide only at the planned end'],
    ['bayesian', 'Decide only at the planned end'],
  ] as const)('explains when the %s method allows a decision', async (method, advice) => {
    const { page } = await made({ method });
    expect(textsOf(page, '.notes dt')[0]).toBe(advice);
  });

  it('shows how uncertain a change of −100 % is', async () => {
    const nobody = GREEN_BUTTON.map((one, index) => (index === 0 ? one : { ...one, rate: 0, value: 0 }));
    const { page, text } = await made({ variations: nobody, days: 3 });
    const [, row = ''] = textsOf(page, '.goal .table-cards tbody tr');
    expect(row).toMatch(/−100 %−1\d\d % to −\d\d %/);
    expect(all(page, '.table-cards .bar')[0].querySelectorAll('.reach')).toHaveLength(1);
    expect(textsOf(page, '#goal-101 .data')[1]).toContain('−100 %−1');
    expect(all(page, '.plot')[1].querySelectorAll('[fill-opacity] path')).not.toHaveLength(0);
    expect(text).not.toContain('figure may be zero');
  });

  it('shows no interval for values that do not vary', async () => {
    const same = GREEN_BUTTON.map((one) => ({ ...one, value: 5, rate: 0 }));
    const { page, text } = await made({ variations: same, goals: [{ name: 'Revenue', hasValue: true }] });
    expect(textsOf(page, '.goal .table-cards tbody tr')[1]).toContain('0.00–range not known yet');
    expect(text).not.toContain('0.00 to 0.00');
  });

  it('never rounds up to 100 %', async () => {
    const nearly = GREEN_BUTTON.map((one) => ({ ...one, rate: 0.9999 }));
    const model = shareModel({ variations: nearly });
    const [, green] = model.results.goals[0].variations;
    green.conversionRate = 2499 / 2500;
    const { page } = await render(model);
    expect(textsOf(page, '.goal .table-cards tbody tr')[1]).toContain('99.96 %');
  });

  it('shows the variations with wrong shares, and the expected shares', async () => {
    const [original, green] = GREEN_BUTTON;
    const wrong = shareModel({ variations: [original, { ...green, perDay: 600 }] });
    const filter = { start: null, end: null, devices: ['tablet' as const], cohorts: null };
    const { page } = await render({ ...shareModel(), everybody: wrong.results, filter });
    const [notice = ''] = textsOf(page, '.notice');
    expect(notice).toContain('The check fails for all participants. ');
    expect(notice).toMatch(/Shares of all participants.*Green button[\d ]+58\.\d %50\.0 %/);
    const both = await render({ ...wrong, filter });
    expect(textsOf(both.page, '.notice')[0]).toContain(
      'The check fails for all participants and the participants selected here. ',
    );
    expect(textsOf((await made()).page, '.notice')).toEqual([]);
  });

  it('escapes all names', async () => {
    const { text, page } = await made({
      name: SCRIPT,
      goals: [{ name: SCRIPT }, { name: SCRIPT }],
      variations: GREEN_BUTTON.map((variation) => ({ ...variation, name: SCRIPT })),
    });
    expect(text).not.toMatch(/<script/i);
    expect(all(page, 'script')).toEqual([]);
    expect(page.querySelector('title')?.textContent).toContain('alert(1)');
    expect(page.querySelector('h1')?.textContent).toBe(SCRIPT);
  });

  it('has no style or event attributes', async () => {
    const { text } = await made({ days: 40 });
    expect(text).not.toMatch(/\s(?:style|on\w+)=/);
  });

  it('says when lower is better', async () => {
    const { text } = await made({ goals: [{ name: 'Returned', direction: 'decrease' }] });
    expect(text).toContain('Below zero is better');
  });

  it('shows values with their intervals for goals with values', async () => {
    const variations = GREEN_BUTTON.map((variation) => ({ ...variation, value: 45 }));
    const { page } = await made({ variations, goals: [{ name: 'Revenue', hasValue: true }] });
    expect(textsOf(page, '.goal .table-cards thead th')).toContain('Value per participant');
    expect(textsOf(page, '.goal .table-cards tbody tr')[1]).toMatch(/\d\.\d\d\d\.\d+ to \d\.\d+/);
    expect(textsOf(page, 'figcaption h3')[0]).toBe('Value per participant over time');
  });

  it('gives each of many variations its own plot', async () => {
    const variations = Array.from({ length: 20 }, (_, index) => ({
      name: `V${index}`,
      perDay: 50,
      rate: 0.1,
    }));
    const { page } = await made({ variations, days: 5 });
    expect(all(page, '.panel svg[role="img"]')).toHaveLength(2 * 19);
    expect(textsOf(page, '.legend li')).toEqual(['V0']);
  });

  it('thins out the days of long tables evenly', async () => {
    const { page, text } = await made({ days: 400 });
    const times = all(page, '.data')[0].querySelectorAll('tbody time');
    const days = [...new Set([...times].map((time) => time.getAttribute('datetime')))];
    expect(days.length).toBeLessThanOrEqual(31);
    expect(days[0]).toBe('2027-06-04');
    expect(textsOf(page, '.data caption')[0]).toBe('Conversion rate over time, every 13 days');
    expect(text.length).toBeLessThan(120_000);
  });

  it.each([
    ['one day', { days: 1 }],
    ['no day', { days: 0 }],
    ['one variation', { variations: GREEN_BUTTON.slice(0, 1) }],
    ['no goal', { goals: [] }],
    ['no conversions', { variations: GREEN_BUTTON.map((one) => ({ ...one, rate: 0 })) }],
  ])('can be rendered for %s', async (_, experiment) => {
    const { text } = await made(experiment);
    expect(text).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it('begins with the verdict, then one table, plots, data health and notes', async () => {
    const { page } = await made({ goals: [{ name: 'Order' }, { name: 'Visit' }] });
    const parts = textsOf(page, '.headline, .result-table h2, .goal h2, .health h2, .notes h2');
    expect(parts.map((part) => part.slice(0, 19))).toEqual([
      'Primary goal: Order',
      'Results',
      'Order',
      'Visit',
      'Data health',
      'How to read this pa',
    ]);
    expect(all(page, '.result-table table')).toHaveLength(1);
  });

  it('shows daily figures in the plots, and makes some of them focusable by keyboard', async () => {
    const { page } = await made();
    const [rate] = all(page, '.plot-readings');
    const readings = [...rate.querySelectorAll('.reading')];
    expect(readings).toHaveLength(12);
    expect(readings.filter((reading) => reading.getAttribute('tabindex') === '0')).toHaveLength(4);
    expect(readings.at(-1)?.getAttribute('aria-label')?.replaceAll('\u202f', ' ')).toMatch(
      /^12 May 2026\. Original \d\.\d\d % \(\d\.\d % to \d+\.\d %\)\. Green button \d\.\d\d % \(/,
    );
  });

  it('orders goals and variations by result, the primary goal first', async () => {
    const variations = [
      { name: 'A', perDay: 900, rate: 0.08 },
      { name: 'Lost', perDay: 900, rate: 0.05 },
      { name: 'Even', perDay: 900, rate: 0.08 },
      { name: 'Won', perDay: 900, rate: 0.12 },
    ];
    const goals = [{ name: 'Primary' }, { name: 'Quiet', effect: 0.67 }, { name: 'Second' }];
    const { page } = await made({ variations, goals, days: 40 });
    expect(textsOf(page, '.result-variation').slice(0, 3)).toEqual(['Won', 'Even', 'Lost']);
    expect(textsOf(page, '.result-decision').slice(0, 3)).toEqual(['Better', 'Not certain', 'Worse']);
    expect(textsOf(page, '.result-goal a')).toEqual(['Primary', 'Second', 'Quiet']);
    expect(textsOf(page, '.decision')).toEqual(['End the experiment and roll out Won to all visitors.']);
  });
});
