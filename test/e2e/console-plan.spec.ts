import { parseHTML } from 'linkedom';
import { documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';
import type { Visitor } from '../support/visitor';

/* The page that plans the size of an experiment: a form without stored state, which works without JavaScript. */

const stage = useConsole();
let admin: Visitor;
let path: string;
beforeAll(async () => {
  admin = await stage.admin();
  path = `${stage.world.project}/plan`;
});

const FILLED = 'baseline_rate=20&minimum_effect=25&variations=2&daily_visitors=100&method=frequentist';

describe('the plan page', () => {
  it('is linked from the project, and starts with a form', async () => {
    const project = await documentOf(admin, stage.world.project);
    const links = [...project.querySelectorAll('main a')].map((link) => link.getAttribute('href'));
    expect(links).toContain(path);
    const document = await documentOf(admin, path);
    expect(textsOf(document, 'h2')).toEqual(['What should it detect?']);
    expect(document.querySelector('main form')!.getAttribute('method')).toBe('get');
    expect(document.querySelector('input[name=method][checked]')!.getAttribute('value')).toBe('sequential');
    expect(document.querySelectorAll('[aria-invalid]')).toHaveLength(0);
  });

  // power.prop.test(p1 = 0.2, p2 = 0.25, power = 0.8) of R: 1,093.739 in each.
  it('shows the size, the days and the detectable effects', async () => {
    const document = await documentOf(admin, `${path}?${FILLED}`);
    expect(textOf(document.querySelector('#plan'))).toBe('2 188 participants, 22 days');
    expect(rowsOf(document).map(([day, effect]) => [day, effect])).toEqual([
      ['7 days', '+45.5 %'],
      ['14 days', '+31.6 %'],
      ['21 days', '+25.5 %'],
      ['28 days', '+22.0 %'],
    ]);
    const values = [...document.querySelectorAll('input[type=text]')].map((input) =>
      input.getAttribute('value'),
    );
    expect(values).toEqual(['20', '25', '2', '100']);
    expect(document.querySelector('input[name=method][checked]')!.getAttribute('value')).toBe('frequentist');
  });

  it('reads numbers like the other forms', async () => {
    const sizeFor = async (numbers: string): Promise<string> =>
      textOf((await documentOf(admin, `${path}?variations=2&${numbers}`)).querySelector('#plan'));
    expect(await sizeFor('baseline_rate=2,5&minimum_effect=−10')).toBe(
      await sizeFor('baseline_rate=2.5&minimum_effect=-10'),
    );
  });

  it.each([
    ['baseline_rate=2e1&minimum_effect=25&variations=2', 'baseline_rate'],
    ['baseline_rate=20&minimum_effect=25&variations=2&daily_visitors=10,000', 'daily_visitors'],
    ['minimum_effect=25', 'baseline_rate'],
    ['baseline_rate=x&minimum_effect=25&variations=2', 'baseline_rate'],
    ['baseline_rate=60&minimum_effect=100&variations=2', 'minimum_effect'],
    ['baseline_rate=20&minimum_effect=25&variations=1', 'variations'],
    ['baseline_rate=20&minimum_effect=25&variations=1e9', 'variations'],
    ['baseline_rate=20&minimum_effect=25&variations=2&daily_visitors=0', 'daily_visitors'],
  ])('reports at its field what is wrong with %s', async (query, field) => {
    const { status, text } = await admin.get(`${path}?${query}`);
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(status).toBe(422);
    const input = document.querySelector(`#${field}`)!;
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(input.getAttribute('aria-describedby')).toContain(`${field}-error`);
    expect(textOf(document.querySelector(`#${field}-error`))).not.toBe('');
    expect(document.querySelector('#plan')).toBeNull();
  });

  it('says that a text is not a number, even if the number in it is within the limits', async () => {
    const { text } = await admin.get(
      `${path}?baseline_rate=20&minimum_effect=${encodeURIComponent('10 %')}&variations=2`,
    );
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(textOf(document.querySelector('#minimum_effect-error'))).toBe(
      'The minimum effect must be a number between -100 and 1000.',
    );
  });

  it('escapes the input', async () => {
    const { text } = await admin.get(`${path}?baseline_rate=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).not.toContain('<script>x');
  });
});
