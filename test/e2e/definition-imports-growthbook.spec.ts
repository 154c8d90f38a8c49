import { exported, ImportReport, linesOf, reasonOf, useImports } from '../support/imported-definitions';

/* `project:import` of GrowthBook exports: REST responses and an SDK payload. */

const stage = useImports();

const FILES = ['growthbook-experiments', 'growthbook-rest', 'growthbook-payload'].map(exported);

describe('a GrowthBook export', () => {
  let report: ImportReport;
  beforeAll(async () => {
    report = await stage.run('growthbook', FILES, ...stage.intoNew('From GrowthBook'));
  });

  it('is imported into a new project, with everything that has an equivalent', async () => {
    expect(report.created).toEqual({
      audiences: [
        'Staff',
        'Targeting of Buy button colour',
        'Targeting of free-shipping',
        'Targeting of Headline test',
      ],
      goals: ['orders-placed', 'refunds'],
      exclusion_groups: ['search'],
      experiments: ['buy-button', 'search-ranking', 'free-shipping', 'headline', 'limits'],
    });
    const { body } = await stage.client.get(`/projects/${report.project_id}`);
    expect(body).toMatchObject({ name: 'From GrowthBook', team_id: stage.world.teamId });
  });

  it('has metrics that are imported as goals', async () => {
    expect(await stage.records(report.project_id, 'goals')).toMatchObject([
      {
        name: 'Orders placed',
        api_name: 'orders-placed',
        description: 'Paid orders',
        type: 'custom',
        counting: 'unique',
        value_type: 'none',
        direction: 'increase',
        conversion_window_days: 3,
      },
      {
        api_name: 'refunds',
        value_type: 'revenue',
        direction: 'decrease',
        value_cap: 500,
        conversion_window_days: null,
      },
    ]);
  });

  it('has experiments of the REST API, imported with the last phase and the values of its feature', async () => {
    const [experiment] = await stage.records(report.project_id, 'experiments');
    expect(experiment).toMatchObject({
      name: 'Buy button colour',
      api_name: 'buy-button',
      status: 'draft',
      hypothesis: 'Green sells more.',
      description: 'On product pages',
      tags: ['checkout', 'colour'],
      traffic_allocation: 80,
      goals: [{ name: 'Orders placed' }],
      guardrails: [{ name: 'Refunds' }],
      guardrail_action: 'none',
      audiences: [{ name: 'Targeting of Buy button colour' }],
    });
    const variations = await stage.variations(report.project_id, experiment.id);
    expect(variations).toMatchObject([
      { name: 'Control', api_name: 'blue', is_original: true, traffic_allocation: 70 },
      {
        name: 'Green',
        api_name: 'green',
        is_original: false,
        traffic_allocation: 30,
        description: 'A green button',
      },
    ]);
  });

  it('has conditions and saved groups, which are translated', async () => {
    const audiences = await stage.records(report.project_id, 'audiences');
    const staff = {
      type: 'attribute',
      name: 'email',
      match: 'in',
      value: ['ada@example.com', 'grace@example.com'],
    };
    expect(audiences.map(({ conditions }) => conditions)).toEqual([
      staff,
      [
        'and',
        [
          'and',
          { type: 'attribute', name: 'country', match: 'in', value: ['DE', 'AT'] },
          [
            'or',
            { type: 'attribute', name: 'age', match: 'gte', value: 18 },
            { type: 'attribute', name: 'loggedIn', match: 'exact', value: false },
          ],
        ],
        ['not', staff],
      ],
      { type: 'attribute', name: 'country', match: 'exact', value: 'DE' },
      ['not', { type: 'attribute', name: 'premium', match: 'exact', value: true }],
    ]);
  });

  it('has experiments in features and SDK payloads', async () => {
    const experiments = await stage.records(report.project_id, 'experiments');
    const named = (apiName: string) => experiments.find(({ api_name }) => api_name === apiName)!;
    expect(named('free-shipping')).toMatchObject({
      name: 'free-shipping',
      traffic_allocation: 50,
      tags: ['banner'],
    });
    expect(named('headline')).toMatchObject({ name: 'Headline test', traffic_allocation: 25 });
    const sharesOf = async (apiName: string) =>
      (await stage.variations(report.project_id, named(apiName).id)).map(
        ({ api_name, traffic_allocation }) => [api_name, traffic_allocation],
      );
    expect(await sharesOf('headline')).toEqual([
      ['plain', 50],
      ['short', 25],
      ['long', 25],
    ]);
    expect(await sharesOf('search-ranking')).toEqual([
      ['0', null],
      ['1', null],
      ['2', null],
    ]);
    expect(await sharesOf('limits')).toEqual([
      ['v0', null],
      ['v1', null],
    ]);
  });

  it('has parts that are not imported, which are listed with reasons', () => {
    expect(linesOf(report)).toEqual(
      [
        'audience | Beta testers',
        'experiment | Bandit',
        'experiment | Buy button colour | metric met_gone',
        'experiment | Odd weights',
        'experiment | Old headline',
        'experiment | Search Ranking | key',
        'experiment | Search ranking | hash attribute deviceId',
        'experiment | Search ranking | status',
        'experiment | Version targeting',
        'experiment | visual-1',
        'feature | buy-button | force rules',
        'feature | dark-mode',
        'feature | kill-switch',
        'feature | limits | values of variations',
        'goal | Old metric',
        'goal | Orders placed',
        'goal | Refunds | window (lookback)',
        'goal | Revenue per order',
      ].sort(),
    );
    expect(reasonOf(report, 'Version targeting')).toBe(
      'Its condition on appVersion uses the operator $vgte.',
    );
    expect(reasonOf(report, 'Orders placed')).toBe('Another goal in the export is also named Orders placed.');
    expect(reasonOf(report, 'Revenue per order')).toBe('Goals cannot measure fact metrics.');
    expect(reasonOf(report, 'Odd weights')).toContain('at most two decimal places');
  });

  it('creates nothing when it is imported again', async () => {
    const kinds = ['audiences', 'goals', 'experiments'];
    const before = await Promise.all(kinds.map((kind) => stage.records(report.project_id, kind)));
    const again = await stage.run('growthbook', FILES, ...stage.intoNew('From GrowthBook'));
    expect([again.project_id, again.existing]).toEqual([report.project_id, report.created]);
    expect(again.created).toEqual({ audiences: [], goals: [], exclusion_groups: [], experiments: [] });
    expect(await Promise.all(kinds.map((kind) => stage.records(report.project_id, kind)))).toEqual(before);
  });
});
