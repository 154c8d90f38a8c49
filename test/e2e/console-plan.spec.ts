import { parseHTML } from 'linkedom';
import { dayOf, formatDay, nowMicros } from '../../src/common/time/clock';
import { Cells } from '../support/cells';
import { documentOf, rowsOf, textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The page for planning the sample size of an experiment: a form without stored state or JavaScript. */

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
    expect(textsOf(document, 'h2')).toEqual(['What should the experiment detect?']);
    expect(document.querySelector('main form')!.getAttribute('method')).toBe('get');
    expect(document.querySelector('input[name=method][checked]')!.getAttribute('value')).toBe('sequential');
    expect(document.querySelectorAll('[aria-invalid]')).toHaveLength(0);
  });

  // In R, power.prop.test(p1 = 0.2, p2 = 0.25, power = 0.8) gives 1,093.739 participants per variation.
  it('shows the sample size, the days and the detectable effects', async () => {
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
    expect(values).toEqual(['20', '', '', '25', '2', '', '100', '', '']);
    expect(document.querySelector('input[name=method][checked]')!.getAttribute('value')).toBe('frequentist');
  });

  it('does not recommend a sample size larger than an experiment can have', async () => {
    const document = await documentOf(admin, `${path}?baseline_rate=0.0001&minimum_effect=1`);
    const planned_participants = Number(textOf(document.querySelector('#plan')).replace(/\D/g, ''));
    const { path: experiment } = await stage.make.experiment();
    expect((await stage.client.patch(experiment, { planned_participants })).status).toBe(422);
    expect(textsOf(document, 'dd')).toEqual([
      'A plan has at most 1 000 000 000 participants. Choose a larger effect.',
    ]);
  });

  it('parses numbers like the other forms', async () => {
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
    ['baseline_rate=20&minimum_effect=25&variations=2&power=8', 'power'],
    ['baseline_rate=20&minimum_effect=25&variations=2&significance=0.95', 'significance'],
    ['goal_id=999999&minimum_effect=25&variations=2', 'baseline_rate'],
    ['baseline_mean=10&minimum_effect=25', 'baseline_sd'],
    ['baseline_sd=40&minimum_effect=25', 'baseline_mean'],
    ['baseline_mean=0&baseline_sd=40&minimum_effect=25', 'baseline_mean'],
    ['baseline_mean=10&baseline_sd=0&minimum_effect=25', 'baseline_sd'],
    ['baseline_rate=20&baseline_mean=10&baseline_sd=40&minimum_effect=25', 'baseline_mean'],
    ['baseline_rate=20&baseline_sd=40&minimum_effect=25', 'baseline_sd'],
    ['baseline_rate=20&minimum_effect=25&shares=80', 'shares'],
    ['baseline_rate=20&minimum_effect=25&shares=100%2F0', 'shares'],
    ['baseline_rate=20&minimum_effect=25&shares=half', 'shares'],
    ['baseline_rate=20&minimum_effect=25&variations=2&shares=80%2F20', 'shares'],
  ])('reports errors for %s next to the field', async (query, field) => {
    const { status, text } = await admin.get(`${path}?${query}`);
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(status).toBe(422);
    const input = document.querySelector(`#${field}`)!;
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(input.getAttribute('aria-describedby')).toContain(`${field}-error`);
    expect(textOf(document.querySelector(`#${field}-error`))).not.toBe('');
    expect(document.querySelector('#plan')).toBeNull();
  });

  it('reports text that is not a number, even if it contains a number within the limits', async () => {
    const { text } = await admin.get(
      `${path}?baseline_rate=20&minimum_effect=${encodeURIComponent('10 %')}&variations=2`,
    );
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(textOf(document.querySelector('#minimum_effect-error'))).toBe(
      '“Smallest relative effect worth detecting (%)” must be a number between -100 and 1000.',
    );
  });

  it('reports errors like the other forms, and focuses the first invalid field', async () => {
    const { text } = await admin.get(`${path}?minimum_effect=x&variations=1`);
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(document.title).toMatch(/^Error: /);
    const links = [...document.querySelectorAll('[role=alert] a')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual(
      expect.arrayContaining(['#baseline_rate', '#minimum_effect', '#variations']),
    );
    expect(textsOf(document, '[role=alert] li')).toContain(
      'Enter the rate, or the value and its standard deviation.',
    );
    expect([...document.querySelectorAll('[autofocus]')].map(({ id }) => id)).toEqual(['baseline_rate']);
    expect((await documentOf(admin, path)).querySelector('[autofocus], [role=alert]')).toBeNull();
  });

  it('shows the effect exactly as entered', async () => {
    const document = await documentOf(admin, `${path}?baseline_rate=20&minimum_effect=-12.25`);
    expect(textOf(document.querySelector('section[aria-labelledby="plan"] p'))).toContain(
      'detect an effect of −12.25 % with',
    );
  });

  // The sample size per variation is n = 2σ²(z + z)²/δ² = 2·40²·(1.959964 + 0.841621)²/2.5² = 4,018.6. R's power.t.test
  // gives one participant more.
  it('accepts a mean value and its standard deviation', async () => {
    const query = 'baseline_mean=10&baseline_sd=40&minimum_effect=25&daily_visitors=1000&method=frequentist';
    const document = await documentOf(admin, `${path}?${query}`);
    expect(textOf(document.querySelector('#plan'))).toBe('8 038 participants, 9 days');
    expect(document.querySelector('[aria-invalid]')).toBeNull();
  });

  it('reports a missing standard deviation under the label of its field', async () => {
    const { text } = await admin.get(`${path}?baseline_mean=10&minimum_effect=25`);
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(textsOf(document, '[role=alert] li')).toEqual(['“Standard deviation of this value” is required.']);
  });

  // The original needs (1.959964·√(p̄(1-p̄)(1 + 1/r)) + 0.841621·√(0.2·0.8 + 0.25·0.75/r))²/0.05² participants
  // (Fleiss 1981), where r is the ratio of the smallest share to the original share, and p̄ = (0.2 + r·0.25)/(1 + r).
  it.each([
    ['80 / 20', '3 349 participants', '2 679 in the original, and 670 in the variation, detect'],
    ['80/20', '3 349 participants', '2 679 in the original, and 670 in the variation, detect'],
    ['80, 20', '3 349 participants', '2 679 in the original, and 670 in the variation, detect'],
    ['50 30 20', '3 775 participants', '1 887 in the original, and 1 133 and 755 in the variations, detect'],
    ['33,3/33,3/33,3', '3 282 participants', '1 094 in each variation detect'],
  ])('accepts the shares %s', async (shares, size, words) => {
    const query = `baseline_rate=20&minimum_effect=25&method=frequentist&shares=${encodeURIComponent(shares)}`;
    const document = await documentOf(admin, `${path}?${query}`);
    expect(textOf(document.querySelector('#plan'))).toBe(size);
    expect(textOf(document.querySelector('#plan + p'))).toContain(words);
    expect(document.querySelector('#shares')!.getAttribute('value')).toBe(shares);
  });

  it.each([
    ['shares=a%2Fb', 'Each share must be a number above 0.'],
    ['baseline_mean=10', 'Enter a rate or a value, not both.'],
    ['baseline_sd=40', 'Enter a rate or a value, not both.'],
    ['shares=80%2F20&variations=2', 'Enter the number of variations or their shares, not both.'],
  ])('shows one message about %s', async (query, message) => {
    const { text } = await admin.get(`${path}?baseline_rate=20&minimum_effect=25&${query}`);
    const { document } = parseHTML(text) as unknown as { document: Document };
    expect(textsOf(document, '[role=alert] li')).toEqual([message]);
  });

  it('plans two equal shares by default', async () => {
    const query = 'baseline_rate=20&minimum_effect=25&method=frequentist';
    expect(textOf((await documentOf(admin, `${path}?${query}`)).querySelector('#plan'))).toBe(
      '2 188 participants',
    );
  });

  it('escapes the input', async () => {
    const { text } = await admin.get(`${path}?baseline_rate=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).not.toContain('<script>x');
  });

  // The sample size per variation is (1.64485·√(2·0.225·0.775) + 1.28155·√(0.2·0.8 + 0.25·0.75))²/0.05² = 1,192.8.
  it('accepts another power and significance level', async () => {
    const document = await documentOf(admin, `${path}?${FILLED}&power=90&significance=90`);
    expect(textOf(document.querySelector('#plan'))).toBe('2 386 participants, 24 days');
    expect(textOf(document.querySelector('#plan + p'))).toContain(
      'with 90 % power at 90 % required confidence',
    );
    expect(textOf(document.querySelector('#significance-hint'))).toBe('The default is 95.');
  });

  describe('with the results of a goal', () => {
    let project: string;
    let goal: Made;
    let revenue: Made;
    let unmeasured: Made;
    let experiment: Made;

    beforeAll(async () => {
      const make = await stage.project('Measured');
      ({ project } = make);
      revenue = await make.goal({ name: 'Revenue', value_type: 'revenue' });
      unmeasured = await make.goal({ name: 'Unmeasured' });
      experiment = await make.ready();
      [goal] = experiment.goals;
      const own = { variation: experiment.variations[0].id, day: formatDay(dayOf(nowMicros()) - 14) };
      await new Cells(stage.api, experiment.id)
        .entered(own, 2_000)
        .converted(goal.id, own, { converters: 400 })
        .converted(revenue.id, own, {
          converters: 500,
          value: 500n * 400_000n,
          valueSquared: 500n * 400_000n ** 2n,
        })
        .store();
    });

    it('offers the goals of the project', async () => {
      const options = [...(await documentOf(admin, `${project}/plan`)).querySelectorAll('#goal_id option')];
      expect(options.map((option) => option.getAttribute('value'))).toEqual(
        expect.arrayContaining(['', ...[goal, revenue, unmeasured].map(({ id }) => String(id))]),
      );
      expect((await documentOf(admin, path)).querySelector('#goal_id')).toBeNull();
    });

    it('plans for the conversion rate of the goal, and names the source', async () => {
      const query = `goal_id=${goal.id}&minimum_effect=25&variations=2&method=frequentist`;
      const document = await documentOf(admin, `${project}/plan?${query}`);
      expect(textOf(document.querySelector('#plan'))).toContain('2 188 participants');
      expect(document.querySelector('#goal_id [selected]')!.getAttribute('value')).toBe(String(goal.id));
      const from = [...document.querySelectorAll('.settings-list div')].map(textOf);
      expect(from).toContainEqual(
        expect.stringContaining(
          `20.0 % of 2 000 participants in the original of experiment ${experiment.id}, who`,
        ),
      );
      expect(
        document.querySelector(`.settings-list a[href$="/experiments/${experiment.id}"]`),
      ).not.toBeNull();
    });

    it('plans for the mean value of the goal', async () => {
      const query = `goal_id=${revenue.id}&minimum_effect=25&variations=2`;
      const document = await documentOf(admin, `${project}/plan?${query}`);
      const from = [...document.querySelectorAll('.settings-list div')].map(textOf);
      expect(from).toContainEqual(expect.stringContaining('10.00 per participant, from 2 000 participants'));
    });

    it.each([
      [
        'reports that the results give no baseline',
        () => `goal_id=${unmeasured.id}`,
        'goal_id',
        'give no baseline. Enter the rate or the value.',
      ],
      [
        'accepts the results or a rate, not both',
        () => `goal_id=${goal.id}&baseline_rate=20`,
        'baseline_rate',
        'Choose a goal or enter a rate, not both.',
      ],
      [
        'accepts the results or a value, not both',
        () => `goal_id=${goal.id}&baseline_mean=10&baseline_sd=40`,
        'baseline_mean',
        'Choose a goal or enter a value, not both.',
      ],
      [
        'lists all ways to enter a baseline',
        () => '',
        'baseline_rate',
        'Choose a goal, or enter the rate, or the value',
      ],
    ])('%s', async (_, query, field, message) => {
      const { status, text } = await admin.get(`${project}/plan?${query()}&minimum_effect=25&variations=2`);
      const { document } = parseHTML(text) as unknown as { document: Document };
      expect(status).toBe(422);
      expect(document.querySelector(`#${field}`)!.getAttribute('aria-invalid')).toBe('true');
      expect(textOf(document.querySelector(`#${field}-error`))).toContain(message);
    });
  });
});
