import { DAY_MICROS, dayOf, formatDay, nowMicros, SECOND_MICROS } from '../../src/common/time/clock';
import { Cells, dayNumber, ranBetween } from '../support/cells';
import { anotherProject, errorsOf, Made, refusedPaths, useScene } from '../support/scene';

const scene = useScene();

const post = (body: object, project = scene.project) => scene.client.post(`${project}/plan`, body);

describe('the baseline of a plan', () => {
  const dayAgo = (days: number): string => formatDay(dayOf(nowMicros()) - days);
  let project: string;
  let busy: Made;
  let other: Made;
  let bought: Made;

  beforeAll(async () => {
    const make = await anotherProject(scene);
    ({ project } = make);
    bought = await make.goal({ value_type: 'revenue' });
    [busy, other] = [await make.ready(), await make.ready()];
    const [original, variation] = busy.variations.map(({ id }: Made) => id) as number[];
    const [goal] = busy.goals;
    // Both days are far from the start and end of the last four weeks, so the test can also run past midnight.
    const [old, recent] = [dayAgo(60), dayAgo(14)];
    await new Cells(scene.api, busy.id)
      .entered({ variation: original, day: old }, 5_000)
      .converted(goal.id, { variation: original, day: old }, { converters: 4_000 })
      .entered({ variation: original, day: recent }, 1_000)
      .entered({ variation: original, day: recent, device: 'mobile' }, 1_000)
      .entered({ variation, day: recent }, 2_000)
      .converted(goal.id, { variation: original, day: recent }, { converters: 100 })
      .converted(goal.id, { variation, day: recent }, { converters: 900 })
      .converted(
        bought.id,
        { variation: original, day: recent },
        {
          converters: 500,
          // 500 of 2,000 participants with 40 each: the mean is 10, the variance (500·1600 - 2000·100) / 1999.
          value: 500n * 400_000n,
          valueSquared: 500n * 400_000n ** 2n,
        },
      )
      .store();
    await new Cells(scene.api, other.id)
      .entered({ variation: other.variations[0].id, day: recent }, 100)
      .converted(goal.id, { variation: other.variations[0].id, day: recent }, { converters: 50 })
      .store();
  });

  it('is the conversion rate of the original in the busiest experiment of the last four weeks', async () => {
    const [goal] = busy.goals;
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id, method: 'frequentist' }, project);
    expect(body.baseline).toEqual({
      conversion_rate: 5,
      mean: null,
      standard_deviation: null,
      experiment_id: busy.id,
      participants: 2_000,
    });
    // 4,000 participants in 15 days, or in 16 if midnight has passed since.
    expect([4_000 / 15, 4_000 / 16]).toContain(body.daily_visitors);
    const given = await post({ minimum_effect: 10, baseline_rate: 5, method: 'frequentist' }, project);
    expect(body.per_variation).toEqual(given.body.per_variation);
  });

  it('is from an experiment with the goal, even if another experiment has more participants', async () => {
    const own = await anotherProject(scene);
    const [using, busiest] = [await own.ready(), await own.ready()];
    const [goal] = using.goals;
    const day = dayAgo(14);
    for (const [{ id, variations }, participants] of [[using, 300] as const, [busiest, 4_000] as const]) {
      const place = { variation: variations[0].id, day };
      await new Cells(scene.api, id)
        .entered(place, participants)
        .converted(goal.id, place, { converters: 90 })
        .store();
    }
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.baseline).toMatchObject({ conversion_rate: 30, experiment_id: using.id, participants: 300 });
    expect([300 / 15, 300 / 16]).toContain(body.daily_visitors);
    const ofBusiest = await post(
      { minimum_effect: 10, goal_id: goal.id, experiment_id: busiest.id },
      own.project,
    );
    expect(ofBusiest.body.baseline).toMatchObject({ experiment_id: busiest.id, participants: 4_000 });
  });

  it('is from any other experiment if no experiment with the goal has participants', async () => {
    const own = await anotherProject(scene);
    const [using, busiest] = [await own.ready(), await own.ready()];
    const [goal] = using.goals;
    const place = { variation: busiest.variations[0].id, day: dayAgo(14) };
    await new Cells(scene.api, busiest.id)
      .entered(place, 4_000)
      .converted(goal.id, place, { converters: 400 })
      .store();
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.baseline).toMatchObject({ conversion_rate: 10, experiment_id: busiest.id });
  });

  it('can be from any experiment in the project', async () => {
    const [goal] = busy.goals;
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id, experiment_id: other.id }, project);
    expect(body.baseline).toMatchObject({ conversion_rate: 50, experiment_id: other.id, participants: 100 });
  });

  it('comes with the number of participants per running day', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const cells = new Cells(scene.api, experiment.id);
    // The experiment ran for two days, was paused for three, and ran for two more.
    const days = [20, 19, 15, 14].map(dayAgo);
    for (const day of days) {
      cells.entered({ variation, day }, 300).converted(goal.id, { variation, day }, { converters: 30 });
    }
    await cells.store();
    const startOf = (day: string): number => dayNumber(day) * DAY_MICROS;
    await ranBetween(scene.api, experiment.id, startOf(days[0]), startOf(days[1]) + DAY_MICROS);
    await ranBetween(scene.api, experiment.id, startOf(days[2]), startOf(days[3]) + DAY_MICROS);
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.baseline).toMatchObject({ conversion_rate: 10, experiment_id: experiment.id });
    expect(body.daily_visitors).toBe(300);
  });

  // The worker archives the experiment shortly after midnight, so 700 participants enter in seven days and two seconds.
  it('comes with participants per day of running time, not per calendar day', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const cells = new Cells(scene.api, experiment.id);
    const first = dayOf(nowMicros()) - 20;
    for (const day of Array.from({ length: 7 }, (_, index) => formatDay(first + index))) {
      cells.entered({ variation, day }, 100).converted(goal.id, { variation, day }, { converters: 10 });
    }
    await cells.store();
    await ranBetween(
      scene.api,
      experiment.id,
      first * DAY_MICROS,
      (first + 7) * DAY_MICROS + 2 * SECOND_MICROS,
    );
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.daily_visitors).toBeCloseTo(100, 2);
  });

  it('assumes at least one day of running time', async () => {
    const own = await anotherProject(scene);
    const experiment = await own.ready();
    const [{ id: variation }] = experiment.variations as Made[];
    const [goal] = experiment.goals;
    const day = dayOf(nowMicros()) - 20;
    await new Cells(scene.api, experiment.id)
      .entered({ variation, day: formatDay(day) }, 100)
      .converted(goal.id, { variation, day: formatDay(day) }, { converters: 10 })
      .store();
    await ranBetween(scene.api, experiment.id, day * DAY_MICROS, day * DAY_MICROS + 2 * SECOND_MICROS);
    const { body } = await post({ minimum_effect: 10, goal_id: goal.id }, own.project);
    expect(body.daily_visitors).toBe(100);
  });

  it('is the mean value if the goal has values', async () => {
    const { body } = await post({ minimum_effect: 10, goal_id: bought.id }, project);
    expect(body.baseline).toMatchObject({ conversion_rate: null, mean: 10, participants: 2_000 });
    expect(body.baseline.standard_deviation).toBeCloseTo(Math.sqrt((500 * 1_600 - 2_000 * 100) / 1_999), 9);
  });

  it('must exist, otherwise the plan is rejected', async () => {
    const nothing = await scene.client.post(`${project}/goals`, { name: 'Nothing' });
    const foreign = busy.goals[0].id;
    const cases: [object, string[], string][] = [
      [{ goal_id: nothing.body.id }, ['goal_id'], project],
      [{ goal_id: foreign }, ['goal_id'], scene.project],
      [{ goal_id: foreign, experiment_id: 999_999 }, ['experiment_id'], project],
    ];
    for (const [fields, paths, where] of cases) {
      expect(refusedPaths(await post({ minimum_effect: 10, ...fields }, where))).toEqual(paths);
    }
  });

  it('is rejected with the experiment whose results do not provide it', async () => {
    const rejected = await post({ minimum_effect: 10, goal_id: other.goals[0].id }, project);
    expect(errorsOf(rejected)).toEqual({
      goal_id: [
        `The results of experiment ${other.id} from the last 28 days do not provide a baseline for the goal. Send baseline_rate, or baseline_mean and baseline_sd instead.`,
      ],
    });
  });
});
