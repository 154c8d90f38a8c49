import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthBookExperiment } from '../support/growthbook-export';
import { exported, importArgs, useImports } from '../support/imported-definitions';

/* `project:import` in any format. */

const stage = useImports();

describe('an import', () => {
  const projects = async (): Promise<unknown> =>
    (await stage.client.get(`/teams/${stage.world.teamId}/projects`)).body;

  it('stores nothing in a dry run, and prints the same report', async () => {
    const before = await projects();
    const dry = await stage.run(
      'optimizely',
      [exported('optimizely-datafile')],
      ...stage.intoNew('Dry'),
      '--dry-run',
    );
    expect(await projects()).toEqual(before);
    const real = await stage.run('optimizely', [exported('optimizely-datafile')], ...stage.intoNew('Dry'));
    expect(dry).toEqual({ ...real, dry_run: true, project_id: null });
  });

  it('reads a file with a byte order mark, which Windows editors write', async () => {
    const path = exported('optimizely-datafile');
    const file = join(stage.admin.folder, 'windows.json');
    writeFileSync(file, `\ufeff${readFileSync(path, 'utf8')}`);
    const into = [...stage.intoNew('Windows'), '--dry-run'];
    expect(await stage.run('optimizely', [file], ...into)).toEqual(
      await stage.run('optimizely', [path], ...into),
    );
  });

  it('stores nothing if it fails midway', async () => {
    const project = await stage.api.project(stage.world.teamId, 'Failing');
    const { database } = stage.api;
    const isMysql = database.engine === 'mysql';
    const body = isMysql
      ? "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no more'"
      : "BEGIN SELECT RAISE(ABORT, 'no more'); END";
    const statement = (sql: string) => database.writer.query(sql);
    await statement(`CREATE TRIGGER refuse_experiments BEFORE INSERT ON experiments ${body}`);
    const answer = await stage.admin.run(
      importArgs('optimizely', [exported('optimizely-datafile')], '--project', String(project)),
    );
    await statement('DROP TRIGGER refuse_experiments');
    expect([answer.code, answer.stdout]).toEqual([1, '']);
    for (const kind of ['audiences', 'goals', 'experiments', 'audit']) {
      expect(
        (await stage.records(project, kind)).filter(
          ({ item_type }) => item_type !== 'project' && item_type !== 'environment',
        ),
      ).toEqual([]);
    }
  });

  it('finds existing records again, including renamed audiences', async () => {
    const files = [exported('optimizely-datafile')];
    const { project_id, created } = await stage.run('optimizely', files, ...stage.intoNew('Twice'));
    const [audience] = await stage.records(project_id, 'audiences');
    await stage.client.patch(`/projects/${project_id}/audiences/${Number(audience.id)}`, {
      name: 'Renamed',
    });
    const again = await stage.run('optimizely', files, '--project', String(project_id));
    expect(again).toMatchObject({
      created: { audiences: [], goals: [], exclusion_groups: [], experiments: [] },
      existing: created,
    });
    expect(await stage.records(project_id, 'audiences')).toHaveLength(created.audiences.length);
  });

  it('imports namespaces if percentages can express them', async () => {
    const feature = (name: string, namespace: [string, number, number]): object => ({
      defaultValue: 'a',
      rules: [{ key: name, variations: ['a', 'b'], namespace }],
    });
    const file = join(stage.admin.folder, 'namespaces.json');
    const features = {
      first: feature('first', ['Check out', 0, 0.3]),
      second: feature('second', ['Check out', 0.3, 0.8]),
      odd: feature('odd', ['Check out', 0.8, 0.812345]),
      other: feature('other', ['check-out', 0, 1]),
    };
    writeFileSync(file, JSON.stringify({ features }));
    const report = await stage.run('growthbook', [file], ...stage.intoNew('Namespaces'));
    expect(report.created.exclusion_groups).toEqual(['check-out', 'check-out-2']);
    const [group, another] = await stage.records(report.project_id, 'exclusion-groups');
    expect([group.name, another.name]).toEqual(['Check out', 'check-out']);
    const experiments = await stage.records(report.project_id, 'experiments');
    expect(experiments.map((each) => [each.api_name, each.exclusion_group_id, each.exclusion_share])).toEqual(
      [
        ['first', group.id, 30],
        ['second', group.id, 50],
        ['odd', null, 100],
        ['other', another.id, 100],
      ],
    );
    expect(report.not_taken).toMatchObject([
      { kind: 'experiment', name: 'odd', part: 'namespace', reason: expect.stringContaining('1.2345 %') },
    ]);
  });

  it('lists records that the API rejects, with its message', async () => {
    const file = join(stage.admin.folder, 'long.json');
    const name = 'n'.repeat(300);
    writeFileSync(
      file,
      JSON.stringify({ savedGroups: [{ id: 'g', name, type: 'list', attributeKey: 'a', values: ['b'] }] }),
    );
    const report = await stage.run('growthbook', [file], ...stage.intoNew('Refused'));
    expect(report.not_taken).toMatchObject([
      { kind: 'audience', name, reason: expect.stringContaining('255') },
    ]);
  });

  it('skips an experiment if the API rejects its audience', async () => {
    const file = join(stage.admin.folder, 'audience.json');
    const phases = [{ coverage: 1, targetingCondition: '{"email":{"$regex":"(?=a)b"}}' }];
    const experiment = {
      id: 'e',
      name: 'For some',
      status: 'draft',
      variations: [{ key: '0', name: 'A' }],
      phases,
    };
    writeFileSync(file, JSON.stringify({ experiments: [experiment] }));
    const report = await stage.run('growthbook', [file], ...stage.intoNew('Left out'));
    expect(report.created.experiments).toEqual([]);
    expect(report.not_taken).toMatchObject([
      { kind: 'audience', name: 'Targeting of For some' },
      { kind: 'experiment', reason: 'Its audience Targeting of For some could not be imported.' },
    ]);
  });

  it('lists the goals of an experiment that the API rejects', async () => {
    const file = join(stage.admin.folder, 'goals.json');
    const long = (letter: string): string => letter.repeat(300);
    const names = { first: long('a'), second: 'Sign-up', third: long('b') };
    const metrics = Object.entries(names).map(([id, name]) => ({ id, name, type: 'binomial' }));
    const [first, second, third] = metrics.map(({ id }) => ({ metricId: id }));
    const settings = { goals: [first], secondaryMetrics: [second], guardrails: [third] };
    writeFileSync(file, JSON.stringify({ metrics, experiments: [growthBookExperiment({ settings })] }));
    const report = await stage.run('growthbook', [file], ...stage.intoNew('Without goals'));
    expect(await stage.records(report.project_id, 'experiments')).toMatchObject([
      { goals: [{ name: 'Sign-up' }], guardrails: [] },
    ]);
    const reasons = report.not_taken.filter(({ kind }) => kind === 'experiment');
    expect(reasons.map(({ part, reason }) => [part?.replace(/(.)\1+$/, '$1'), reason])).toEqual([
      [
        'goal a',
        'This goal could not be imported. It would be the primary goal: set the primary goal yourself.',
      ],
      ['guardrail b', 'This goal could not be imported.'],
    ]);
  });

  it('shortens the name of an audience only between whole characters', async () => {
    const file = join(stage.admin.folder, 'long-name.json');
    const name = `${'n'.repeat(241)}\u{1f642}`;
    const phases = [{ coverage: 1, targetingCondition: '{"plan":"pro"}' }];
    const experiment = { id: 'e', name, status: 'draft', variations: [{ key: '0', name: 'A' }], phases };
    writeFileSync(file, JSON.stringify({ experiments: [experiment] }));
    const { created } = await stage.run('growthbook', [file], ...stage.intoNew('Long name'));
    expect(created).toMatchObject({ audiences: [`Targeting of ${name}`], experiments: [expect.anything()] });
  });

  it('does not reuse an existing audience with different conditions', async () => {
    const project = await stage.api.project(stage.world.teamId, 'Occupied');
    const device = { type: 'device', value: 'mobile' };
    await stage.client.post(`/projects/${project}/audiences`, {
      name: 'targeting of TEST',
      conditions: device,
    });
    await stage.client.post(`/projects/${project}/audiences`, { name: 'Germans', conditions: device });
    const file = join(stage.admin.folder, 'occupied.json');
    const phases = [{ coverage: 1, targetingCondition: '{"plan":"pro"}', savedGroupTargeting: [] }];
    const [variations, values] = [[{ key: '0', name: 'A' }], ['x']];
    const experiments = [
      { id: 'a', name: 'Test', trackingKey: 'test', status: 'draft', variations, phases },
      { id: 'b', name: 'Everyone', trackingKey: 'everyone', status: 'draft', variations, phases: [{}] },
    ];
    const savedGroups = [{ id: 'g', name: 'Germans', type: 'list', attributeKey: 'a', values }];
    writeFileSync(file, JSON.stringify({ experiments, savedGroups }));
    const report = await stage.run('growthbook', [file], '--project', String(project));
    expect([report.created.experiments, report.existing.audiences]).toEqual([['everyone'], []]);
    expect(report.not_taken).toMatchObject([
      {
        kind: 'audience',
        name: 'Germans',
        reason: 'The project already has this audience, with different conditions.',
      },
      {
        kind: 'audience',
        name: 'Targeting of Test',
        reason: 'The project already has this audience, with different conditions.',
      },
      { kind: 'experiment', name: 'Test', part: null },
    ]);
    expect(await stage.records(project, 'audiences')).toHaveLength(2);
  });

  it('lists references that are not ids, and saved groups without an attribute', async () => {
    const file = join(stage.admin.folder, 'no-ids.json');
    const [id, variations] = [{ toString: 1 }, [{ key: 'a' }, { key: 'b' }]];
    const notTaken = async (format: string, body: object): Promise<unknown> => {
      writeFileSync(file, JSON.stringify(body));
      return (await stage.run(format, [file], ...stage.intoNew('No ids'), '--dry-run')).not_taken;
    };
    const trafficAllocation = [{ entityId: '1', endOfRange: 10_000 }];
    const [shown, audienceConditions] = [[{ id: '1', key: 'a' }], ['or', id]];
    const experiment = { key: 'test', variations: shown, trafficAllocation, audienceConditions };
    expect(await notTaken('optimizely', { version: '4', experiments: [experiment] })).toMatchObject([
      { name: 'test', reason: 'Its audience without an id could not be imported.' },
    ]);
    const phases = [{ coverage: 1, targetingCondition: JSON.stringify({ plan: { $inGroup: id } }) }];
    const body = {
      experiments: [{ id: 'a', name: 'Test', status: 'draft', variations, phases }],
      savedGroups: [{ id: 'g', name: 'No attribute', type: 'list', values: ['x'] }],
    };
    expect(await notTaken('growthbook', body)).toMatchObject([
      { name: 'No attribute', reason: 'It has no attribute.' },
      { name: 'Test', reason: 'The files contain no usable saved group without an id.' },
    ]);
  });

  it('creates audit entries of the command', async () => {
    const report = await stage.run(
      'optimizely',
      [exported('optimizely-datafile')],
      ...stage.intoNew('History'),
    );
    const entries = await stage.records(report.project_id, 'audit');
    expect(entries.find(({ item_type }) => item_type === 'experiment')).toMatchObject({
      action: 'create',
      actor: { type: 'command' },
    });
  });

  it('prints a summary for people', async () => {
    const { stdout } = await stage.admin.run(
      importArgs('optimizely', [exported('optimizely-datafile')], ...stage.intoNew('Summary'), '--dry-run'),
    );
    expect(stdout).toContain(
      'Dry run: nothing was stored.\nProject: new\nCreated: 3 audiences, 2 goals, 1 exclusion group, 2 experiments\n',
    );
    expect(stdout).toContain('- experiment launched_one: Its status is Launched.\n');
  });

  it.each([
    ['growthbook', '{"experiments": [', 'is not a JSON object.'],
    ['growthbook', '[]', 'is not a JSON object.'],
    ['growthbook', '{"data": []}', 'Expected responses of the GrowthBook REST API'],
    ['growthbook', '{"features": {}, "encryptedFeatures": "abc"}', 'The payload is encrypted.'],
    ['optimizely', '{"version": "1", "experiments": []}', 'Expected a datafile of version 2, 3, 4'],
    ['optimizely', '{"features": {}}', 'Expected a datafile'],
  ])('rejects %s %s', async (format, text, reason) => {
    const file = join(stage.admin.folder, 'export.json');
    writeFileSync(file, text);
    const answer = await stage.admin.run(importArgs(format, [file], ...stage.intoNew('Never')));
    expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('requires exactly one target', async () => {
    const files = [exported('optimizely-datafile')];
    for (const target of [[], ['--team', '1'], ['--project', '1', ...stage.intoNew('Both')]]) {
      expect((await stage.admin.run(importArgs('optimizely', files, ...target))).code).toBe(2);
    }
    const missing = await stage.admin.run(importArgs('optimizely', files, '--project', '999999'));
    expect([missing.code, missing.stderr]).toEqual([1, 'There is no project 999999.\n']);
    await stage.api.project(stage.world.teamId, 'Twin');
    await stage.api.project(stage.world.teamId, 'Twin');
    const twins = await stage.admin.run(importArgs('optimizely', files, ...stage.intoNew('Twin')));
    expect([twins.code, twins.stderr]).toEqual([1, expect.stringContaining('several projects named Twin')]);
  });

  it('does not fail on exports with unexpected structure', async () => {
    const file = join(stage.admin.folder, 'odd.json');
    const odd = [
      null,
      5,
      'x',
      {},
      { id: 1, variations: 'x', phases: [1], rules: {} },
      { name: 'N', variations: [null, {}], phases: {} },
    ];
    writeFileSync(
      file,
      JSON.stringify({ experiments: odd, features: odd, metrics: odd, savedGroups: odd, factMetrics: odd }),
    );
    const project = await stage.api.project(stage.world.teamId, 'Odd');
    const { not_taken: left } = await stage.run('growthbook', [file], '--project', String(project));
    expect(left.length).toBeGreaterThan(0);
    writeFileSync(
      file,
      JSON.stringify({
        version: 4,
        experiments: odd,
        groups: odd,
        events: odd,
        audiences: odd,
        featureFlags: odd,
      }),
    );
    expect((await stage.run('optimizely', [file], '--project', String(project))).created.experiments).toEqual(
      [],
    );
  });
});
