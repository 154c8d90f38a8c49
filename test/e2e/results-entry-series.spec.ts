import { parse } from 'csv-parse/sync';
import { parseHTML } from 'linkedom';
import { ImportWriter } from '../../src/events/import/import-writer';
import { Cells } from '../support/cells';
import { attributeAll, conversion, exposure } from '../support/events';
import {
  DAY,
  LAST,
  LAST_AGE,
  MONDAY,
  Plain,
  plain,
  RawVisitor,
  upliftByHand,
  VISITORS,
} from '../support/raw-visitors';
import { Made, useScene } from '../support/scene';
import { statementsDuring } from '../support/statements';

/* Series by day since entry and by week of entry, compared with simple counts of raw events. */

const scene = useScene();

let experiment: Made;
let counted: Made;
let revenue: Made;

beforeAll(async () => {
  counted = await scene.make.goal();
  revenue = await scene.make.goal({ value_type: 'revenue' });
  experiment = await scene.make.withStatus('running', { goals: [counted.id, revenue.id] });
  const ids = (experiment.variations as Made[]).map(({ id }) => id);
  const at = (day: number, hour: number) => ({
    timestamp: new Date(MONDAY + day * DAY + hour * 3_600_000).toISOString(),
  });
  const writer = scene.api.app.get(ImportWriter, { strict: false });
  const exposures = VISITORS.map(({ name, arm, entered }) =>
    exposure(name, experiment.id, ids[arm], at(entered, 1)),
  );
  const actions = VISITORS.flatMap(({ name, actions: own }) =>
    own.flatMap(({ day, value }) => [
      conversion(name, counted.api_name, undefined, at(day, 2)),
      conversion(name, revenue.api_name, value, at(day, 2)),
    ]),
  );
  for (const messages of [exposures, actions]) {
    const { receipt } = await writer.store(scene.world.projectId, messages);
    expect(receipt.rejected).toEqual([]);
  }
  await attributeAll(scene.api);
});

const pathOf = (goal: Made): string => `${experiment.path}/results/goal/${goal.id}`;

async function rowsOf(path: string): Promise<Made[]> {
  const { status, body } = await scene.client.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body as Made[];
}

const arms = (of: (arm: number) => RawVisitor[]): RawVisitor[][] => [0, 1].map(of);

describe('the series by day since entry', () => {
  const observed = (age: number): RawVisitor[][] =>
    arms((arm) => VISITORS.filter((each) => each.arm === arm && each.entered + age <= LAST_AGE));
  const onDay = (age: number): Plain[] =>
    observed(age).map((visitors) =>
      plain(
        visitors,
        (each) => each === age,
        (ages) => ages.length > 0 && Math.min(...ages) === age,
      ),
    );
  const until = (age: number): Plain[] =>
    observed(age).map((visitors) =>
      plain(
        visitors,
        (each) => each <= age,
        (ages) => ages.some((each) => each <= age),
      ),
    );

  it('agrees with the raw events of the participants who have reached each day', async () => {
    const rows = await rowsOf(`${pathOf(revenue)}?by=age&endDate=${LAST}`);
    expect(rows).toHaveLength(2 * (LAST_AGE + 1));
    expect(rows.map(({ participants }) => participants).at(-1)).toBeLessThan(rows[0].participants);
    for (const [index, row] of rows.entries()) {
      const [age, arm] = [Math.floor(index / 2), index % 2];
      const all = until(age)[arm];
      expect(row).toMatchObject({
        age,
        variation_id: experiment.variations[arm].id,
        ...onDay(age)[arm],
        cumulative_conversions: all.conversions,
        cumulative_total_conversions: all.total_conversions,
        cumulative_value: all.value,
      });
      const [original, own] = until(age);
      const expected =
        arm === 0 || original.value === 0
          ? null
          : own.value / own.participants / (original.value / original.participants) - 1;
      expect(near(row.cumulative_uplift)).toEqual(near(expected));
    }
  });

  it('has the daily uplift and the cumulative uplift, with intervals', async () => {
    const rows = await rowsOf(`${pathOf(counted)}?by=age&endDate=${LAST}`);
    const compared = rows.filter((_, index) => index % 2 === 1);
    for (const [age, row] of compared.entries()) {
      const { uplift, uplift_lower, uplift_upper } = row;
      const [original, own] = onDay(age);
      expect([uplift, uplift_lower, uplift_upper].map(near)).toEqual(upliftByHand(original, own).map(near));
      const all = [row.cumulative_uplift, row.cumulative_uplift_lower, row.cumulative_uplift_upper];
      expect(all.map(near)).toEqual(upliftByHand(...(until(age) as [Plain, Plain])).map(near));
    }
    expect(compared.some(({ uplift }) => uplift > 0) && compared.some(({ uplift }) => uplift < 0)).toBe(true);
    expect(rows.filter((_, index) => index % 2 === 0).every((row) => row.uplift === null)).toBe(true);
  });
});

/** Rounds to ten decimal places for comparisons. */
const near = (value: number | null): string | null =>
  value === null ? null : value.toFixed(10).replace(/^-(0\.0+)$/, '$1');

describe('the series by week of entry', () => {
  const weekOf = (entered: number): number => Math.floor(entered / 7);

  it('agrees with raw events, even in the uplift', async () => {
    const rows = await rowsOf(`${pathOf(counted)}?by=week&endDate=${LAST}`);
    const weeks = ['2026-05-04', '2026-05-11', '2026-05-18'];
    expect(rows.map(({ week }) => week)).toEqual(weeks.flatMap((week) => [week, week]));
    for (const [index, row] of rows.entries()) {
      const both = arms((arm) =>
        VISITORS.filter((each) => each.arm === arm && weekOf(each.entered) === Math.floor(index / 2)).map(
          (each) => ({ ...each, actions: each.actions.filter(({ day }) => day <= LAST_AGE) }),
        ),
      );
      const [original, own] = both.map((visitors) =>
        plain(
          visitors,
          () => true,
          (ages) => ages.length > 0,
        ),
      );
      const { uplift, uplift_lower, uplift_upper } = row;
      const isCompared = index % 2 === 1 && original.participants > 0;
      expect(row).toMatchObject({ ...(index % 2 === 0 ? original : own), value: 0 });
      expect([uplift, uplift_lower, uplift_upper].map(near)).toEqual(
        isCompared ? upliftByHand(original, own).map(near) : [null, null, null],
      );
    }
  });
});

describe('both series', () => {
  it('end with the figures of the results if all participants entered on one day', async () => {
    const goal = await scene.make.goal({ value_type: 'revenue' });
    const single = await scene.make.ready({ goals: [goal.id] });
    const [a, b] = (single.variations as Made[]).map(({ id }) => id);
    const on = (variation: number, day: string) => ({ variation, day, entered: '2026-05-04' });
    await new Cells(scene.api, single.id)
      .entered(on(a, '2026-05-04'), 200)
      .entered(on(b, '2026-05-04'), 180)
      .converted(goal.id, on(a, '2026-05-05'), {
        converters: 20,
        value: 4_000_000n,
        valueSquared: 990_000_000_000n,
      })
      .converted(goal.id, on(b, '2026-05-06'), {
        converters: 30,
        value: 6_500_000n,
        valueSquared: 1_600_000_000_000n,
      })
      .store();
    const { body } = await scene.client.get(`${single.path}/results`);
    const { participants, conversions, totalValue, statistics } = body[0].variationStatistics[b];
    const { uplift, upliftInterval } = statistics.value;
    const path = `${single.path}/results/goal/${goal.id}`;
    const [age, week] = [await rowsOf(`${path}?by=age`), await rowsOf(`${path}?by=week`)].map((rows) =>
      rows.at(-1)!,
    );
    expect(age).toMatchObject({
      age: 2,
      participants,
      cumulative_conversions: conversions,
      cumulative_value: totalValue,
      cumulative_uplift: uplift,
      cumulative_uplift_lower: upliftInterval[0],
      cumulative_uplift_upper: upliftInterval[1],
    });
    expect(week).toMatchObject({
      week: '2026-05-04',
      participants,
      conversions,
      value: totalValue,
      uplift,
      uplift_lower: upliftInterval[0],
      uplift_upper: upliftInterval[1],
    });
  });

  it.each(['age', 'week'])('have the same rows as CSV: by %s', async (by) => {
    const query = `?by=${by}&endDate=${LAST}`;
    const rows = await rowsOf(`${pathOf(counted)}${query}`);
    const { text, headers } = await scene.client.get(`${pathOf(counted)}/download${query}`);
    expect(headers['content-disposition']).toContain(`-by-${by}.csv"`);
    const cells = rows.map((row) => Object.values(row).map((value) => (value === null ? '' : String(value))));
    expect(parse(text, { record_delimiter: '\r\n' })).toEqual([Object.keys(rows[0]), ...cells]);
  });

  it('read no events', async () => {
    for (const by of ['date', 'age', 'week']) {
      const statements = await statementsDuring(scene.api, async () => {
        await rowsOf(`${pathOf(counted)}?by=${by}`);
      });
      expect(statements.length).toBeGreaterThan(0);
      expect(statements.filter((sql) => /\bevents\b/.test(sql))).toEqual([]);
    }
  });

  it.each(['', '/download'])('reject other values of by: %s', async (rest) => {
    for (const query of ['?by=month', '?by=', '?by=age&by=week']) {
      const { status, body } = await scene.client.get(`${pathOf(counted)}${rest}${query}`);
      expect([query, status, Object.keys(body.errors as object)]).toEqual([query, 422, ['by']]);
    }
    const { body } = await scene.client.get(`${pathOf(counted)}${rest}?by=month`);
    expect(body.errors.by).toEqual(['The by must be one of: date, age, week.']);
  });

  it('have no rows if the filter excludes all days, and return 404 without participants', async () => {
    for (const by of ['age', 'week']) {
      expect(await rowsOf(`${pathOf(counted)}?by=${by}&endDate=2026-05-03`)).toEqual([]);
      const empty = await scene.make.ready();
      const { status } = await scene.client.get(`${empty.path}/results/goal/${empty.goals[0].id}?by=${by}`);
      expect(status).toBe(404);
    }
  });
});

describe('the share page', () => {
  it('has both series of the primary goal, collapsed', async () => {
    const { share_url: url } = (await scene.client.get(`${experiment.path}/results/info`)).body as Made;
    const path = `/${new URL(url as string).pathname}?startDate=2026-05-04&endDate=${LAST}`;
    const { text } = await scene.api.as(null).get(path, { accept: 'text/html' });
    const { document } = parseHTML(text);
    const details = document.querySelector('.entry-effects details')!;
    expect(details.hasAttribute('open')).toBe(false);
    const tables = [...details.querySelectorAll('table')].map((table) => [
      table.querySelector('caption')!.textContent,
      table.querySelectorAll('tbody tr').length,
    ]);
    expect(tables).toEqual([
      ['By day since the first exposure', LAST_AGE + 1],
      ['By week of the first exposure', 3],
    ]);
    const rows = await rowsOf(`${pathOf(counted)}?by=age&endDate=${LAST}`);
    const [first] = [...details.querySelectorAll('tbody tr')].map(({ textContent }) => textContent);
    expect(first).toContain(String(rows[1].participants));
    expect(first).toContain(Math.abs((rows[1].uplift as number) * 100).toFixed(1));
  });

  it('has no such series before the second day', async () => {
    const fresh = await scene.make.ready();
    const place = { variation: fresh.variations[0].id as number, day: '2026-05-04' };
    await new Cells(scene.api, fresh.id).entered(place, 5).store();
    const { share_url: url } = (await scene.client.get(`${fresh.path}/results/info`)).body as Made;
    const { text } = await scene.api
      .as(null)
      .get(`/${new URL(url as string).pathname}`, { accept: 'text/html' });
    expect(text).toContain('How to read this page');
    expect(text).not.toContain('entry-effects');
  });
});
