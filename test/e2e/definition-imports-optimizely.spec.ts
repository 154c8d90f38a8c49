import { exported, ImportReport, linesOf, reasonOf, useImports } from '../support/imported-definitions';

/* `project:import` of an Optimizely datafile. */

const stage = useImports();

describe('an Optimizely datafile', () => {
  let report: ImportReport;
  let project: string;
  beforeAll(async () => {
    project = String(await stage.api.project(stage.world.teamId, 'Existing'));
    await stage.client.post(`/projects/${project}/goals`, { name: 'Bought', api_name: 'purchase' });
    report = await stage.run('optimizely', [exported('optimizely-datafile')], '--project', project);
  });

  it('completes an existing project without changing its records', async () => {
    expect(report).toMatchObject({
      project_id: Number(project),
      created: {
        audiences: ['Paying adults', 'From partners', 'Targeting of pricing'],
        goals: ['sign-up'],
        exclusion_groups: ['group-41'],
        experiments: ['checkout_flow', 'pricing'],
      },
      existing: { audiences: [], goals: ['purchase'], exclusion_groups: [], experiments: [] },
    });
    expect(await stage.records(report.project_id, 'goals')).toMatchObject([
      { name: 'Bought' },
      { name: 'Sign Up' },
    ]);
  });

  it('has audiences, which are translated; typed audiences take precedence', async () => {
    const paid = { type: 'attribute', name: 'plan', match: 'exact', value: 'paid' };
    const minor = { type: 'attribute', name: 'age', match: 'lt', value: 18 };
    const known = (name: string) => ({ type: 'attribute', name, match: 'exists' });
    const paying = ['and', paid, ['and', known('age'), ['not', minor]], known('email')];
    const notPaying = ['or', ['and', known('plan'), ['not', paid]], minor, ['not', known('email')]];
    const partners = { type: 'attribute', name: 'source', match: 'exact', value: 'partner' };
    const audiences = await stage.records(report.project_id, 'audiences');
    expect(audiences.map(({ conditions }) => conditions)).toEqual([
      paying,
      partners,
      ['and', partners, notPaying],
    ]);
  });

  it('has groups of mutually exclusive experiments, imported as exclusion groups with their shares', async () => {
    const [group, ...others] = await stage.records(report.project_id, 'exclusion-groups');
    expect([group, others]).toMatchObject([{ name: 'Group 41', api_name: 'group-41' }, []]);
    const experiments = await stage.records(report.project_id, 'experiments');
    expect(experiments).toMatchObject([
      { api_name: 'checkout_flow', exclusion_group_id: null },
      // The experiment has 5,000 of the group's 10,000 buckets.
      { api_name: 'pricing', exclusion_group_id: group.id, exclusion_share: 50 },
    ]);
  });

  it('has bucket ranges, which are converted to traffic and shares', async () => {
    const experiments = await stage.records(report.project_id, 'experiments');
    expect(experiments).toMatchObject([
      {
        api_name: 'checkout_flow',
        traffic_allocation: 40,
        audiences_match_type: 'any',
        audiences: [{ name: 'Paying adults' }, { name: 'From partners' }],
        goals: [{ name: 'Bought' }, { name: 'Sign Up' }],
        status: 'draft',
      },
      { api_name: 'pricing', traffic_allocation: 100, audiences: [{ name: 'Targeting of pricing' }] },
    ]);
    const variationsOf = async (index: number) =>
      await stage.variations(report.project_id, experiments[index].id);
    expect(await variationsOf(0)).toMatchObject([
      { api_name: 'control', is_original: true, traffic_allocation: 75 },
      { api_name: 'one_page', traffic_allocation: 25 },
    ]);
    expect(await variationsOf(1)).toMatchObject([
      { name: 'A', api_name: 'a', traffic_allocation: null },
      { name: 'B', api_name: 'b' },
      { name: 'C', api_name: 'c' },
    ]);
  });

  it('has parts that are not imported, which are listed with reasons', () => {
    expect(linesOf(report)).toEqual(
      [
        'audience | New app',
        'experiment | app_banner',
        'experiment | checkout_flow | forced variations',
        'experiment | checkout_flow | status',
        'experiment | checkout_flow | variables of the flag',
        'experiment | launched_one',
        'experiment | pricing | variation keys A, B, C',
        'feature | checkout',
        'feature | price_filter',
        'goal | Sign Up | key',
      ].sort(),
    );
    expect(reasonOf(report, 'app_banner')).toBe('Its audience 53 could not be imported.');
    expect(reasonOf(report, 'New app')).toBe('Its condition on version uses the match semver_ge.');
  });
});
