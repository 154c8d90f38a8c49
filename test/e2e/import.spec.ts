import { mkdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { ImportRefusedError } from '../../src/events/import/import-file';
import { importFormatOf } from '../../src/events/file-formats';
import { ImportService } from '../../src/events/import/import.service';
import type { AdminAnswer } from '../support/admin';
import { attributeAll, shownCells, storedEvents } from '../support/events';
import type { Made } from '../support/scene';
import {
  ago,
  COLUMNS,
  converted,
  csv,
  DAY,
  exposed,
  importedLines,
  ndjson,
  Row,
  useImports,
} from '../support/imports';

/* Files that events:import accepts, and the events that it stores. */

const imports = useImports();

const FLAT = ['experiment_id', 'variation_id', 'value', 'url'];

/** A row as a message of POST /v1/batch. */
function segment(row: Row): object {
  const entries = Object.entries(row).filter(([key]) => key !== 'device');
  return {
    ...Object.fromEntries(entries.filter(([key]) => !FLAT.includes(key))),
    properties: Object.fromEntries(entries.filter(([key]) => FLAT.includes(key))),
    context: { device: { type: row.device } },
  };
}

/** Messages of a visitor with every type of event. */
function visit(visitor: string): Row[] {
  const own = { anonymousId: visitor, device: 'tablet' };
  return [
    exposed(imports.experiment, 1, { ...own, timestamp: '2026-03-04T05:06:07.089Z' }),
    converted(visitor, 'sale', { ...own, timestamp: '2026-03-04T07:16:07.089+02:00', value: '-12.34565' }),
    converted(visitor, 'click', { ...own, timestamp: '2026-03-05' }),
    { ...converted(visitor, '', own), type: 'page', url: 'https://shop.example/checkout?a="b",c' },
  ];
}

/** The stored events of the visitor in chronological order, without their ids. */
async function storedOf(visitor: string): Promise<object[]> {
  const rows = (await storedEvents(imports.scene.api)).filter(({ visitor_id }) => visitor_id === visitor);
  return rows
    .sort((a, b) => a.occurred_at - b.occurred_at)
    .map(({ visitor_id: _visitor, event_id: _event, ...row }) => row);
}

describe('a file of events', () => {
  it('counts in an experiment that takes no live traffic', async () => {
    const { importer, scene, goals } = imports;
    const experiment = await scene.make.withStatus('running', {
      goals: [goals.sale.id],
      traffic_allocation: 0,
    });
    const rows = [0, 1].map((arm) => exposed(experiment, arm, { timestamp: ago(9 * DAY) }));
    const order = converted(String(rows[1].anonymousId), 'sale', { timestamp: ago(8 * DAY), value: 5 });
    await importer.import('past.csv', csv([...rows, order], COLUMNS));
    await attributeAll(scene.api);
    const [{ variationStatistics }] = (await scene.client.get(`${experiment.path}/results`)).body;
    const [original, variation] = experiment.variations.map(({ id }: Made) => variationStatistics[id]);
    expect([original.participants, variation.participants, variation.totalValue]).toEqual([1, 1, 5]);
  });

  it('is read in every format', async () => {
    const { importer, experiment, goals } = imports;
    const shuffled = [...COLUMNS].reverse();
    const forms: Record<string, (rows: Row[]) => string> = {
      'a.ndjson': (rows) => ndjson(rows.map(segment)),
      'b.jsonl': (rows) => `\ufeff\n${ndjson(rows).replaceAll('\n', '\r\n\r\n  \n')}`,
      'c.json.gz': (rows) => ndjson(rows).trimEnd(),
      'd.csv': (rows) => csv(rows, COLUMNS),
      'e.CSV': (rows) => `\ufeff${csv(rows, shuffled, '\r\n')}\r\n`,
      'f.csv.gz': (rows) =>
        csv(
          rows.map((row) => ({ ...row, note: 'first\n\n"second", line' })),
          ['note', ...shuffled],
        ),
    };
    for (const [name, form] of Object.entries(forms)) {
      const rows = visit(`visitor of ${name}`);
      const report = await importer.import(name, form(rows));
      expect([name, report]).toEqual([
        name,
        {
          project_id: importer.projectId,
          file: expect.stringMatching(new RegExp(`/${name}$`)),
          lines: 4,
          accepted: 4,
          rejected: 0,
          reasons: {},
          rejected_lines: {},
          ignored_links: {},
          ignored_link_lines: {},
          resumed_after: null,
          imported_before: false,
        },
      ]);
      const common = { experiment_id: null, variation_id: null, goal_id: null, value: null, device: 2 };
      const exposure = { experiment_id: experiment.id, variation_id: experiment.variations[1].id };
      const [first = {}, ...others] = await storedOf(`visitor of ${name}`);
      expect([name, first]).toEqual([name, { ...common, ...exposure, occurred_at: 1_772_600_767_089_000 }]);
      expect(others).toEqual([
        { ...common, goal_id: goals.sale.id, value: -123_456, occurred_at: 1_772_601_367_089_000 },
        { ...common, goal_id: goals.click.id, occurred_at: 1_772_668_800_000_000 },
        { ...common, goal_id: goals.seen.id, occurred_at: expect.any(Number) },
      ]);
    }
  });

  it('is included in the results when the command ends', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const rows = [exposed(experiment, 0), exposed(experiment, 1)];
    await importer.import('results.ndjson', ndjson(rows));
    const { status, body } = await scene.client.get(`${experiment.path}/results/info`);
    expect([status, body.participants]).toEqual([200, 2]);
    expect(
      (await shownCells(scene.api)).filter((cell) => cell.includes(`experiment_id=${experiment.id} `)),
    ).toHaveLength(2);
  });

  it('is decompressed if it begins like a gzip file, and is read in the given format', async () => {
    const { importer, experiment } = imports;
    const content = gzipSync(csv([exposed(experiment, 0)], COLUMNS));
    expect(await importer.import('export.dat', content, '--format', 'csv')).toMatchObject({ accepted: 1 });
    const plain = csv([exposed(experiment, 0)], COLUMNS);
    expect(await importer.import('plain.ndjson', plain, '--format', 'csv')).toMatchObject({ accepted: 1 });
  });

  it('can be empty', async () => {
    const empty = { lines: 0, accepted: 0, rejected: 0 };
    expect(await imports.importer.import('empty.ndjson', '')).toMatchObject(empty);
    expect(await imports.importer.import('header.csv', `${COLUMNS.join(',')}\n\n`)).toMatchObject(empty);
  });

  it('can have other columns, even if their names begin like known columns', async () => {
    const { importer, experiment } = imports;
    const known = csv(
      [exposed(experiment, 0)],
      COLUMNS.filter((column) => column !== 'value'),
    );
    const others = ['value_2,value (€)', '3,4'];
    const text = known
      .trimEnd()
      .split('\n')
      .map((line, index) => `${line},${others[index]}\n`);
    expect(await importer.import('others.csv', text.join(''))).toMatchObject({ accepted: 1, rejected: 0 });
  });

  it('is rejected as a whole, before anything is stored, if it is invalid', async () => {
    const { importer, scene, experiment } = imports;
    const row = exposed(experiment, 0);
    const before = [await storedEvents(scene.api), await importedLines(scene.api)];
    const service = scene.api.app.get(ImportService, { strict: false });
    const refused = async (file: string, reason: RegExp): Promise<void> => {
      const refusal: unknown = await service
        .import({ projectId: importer.projectId, file, format: importFormatOf(file)! })
        .catch((error: unknown) => error);
      expect([file, refusal]).toEqual([file, expect.any(ImportRefusedError)]);
      expect((refusal as Error).message).toMatch(reason);
    };
    const folder = importer.file('folder', '').replace(/folder$/, 'a folder.csv');
    mkdirSync(folder);
    const missing = (column: string): string =>
      importer.file(
        `without ${column}.csv`,
        csv(
          [row],
          COLUMNS.filter((known) => known !== column),
        ),
      );
    for (const column of ['type', 'anonymousId', 'messageId', 'timestamp']) {
      await refused(missing(column), new RegExp(`Missing: ${column}\\.`));
    }
    await refused(
      importer.file('semicolons.csv', csv([row], COLUMNS).replaceAll(',', ';')),
      /separated by commas/,
    );
    await refused(
      importer.file('no header.csv', csv([row], COLUMNS).replace(/^.*\n/, '')),
      /must contain the column names/,
    );
    await refused(importer.file('nothing.csv', ''), /must contain the column names/);
    await refused(
      importer.file('twice.csv', csv([row], [...COLUMNS, 'value'])),
      /the column value more than once/,
    );
    await refused(
      importer.file('capital.csv', csv([row], COLUMNS).replace('value', 'Value')),
      /the column Value\. Rename it to value\./,
    );
    await refused(folder, /a folder\.csv cannot be read: it is not a file/);
    await refused(`${folder}/nothing.csv`, /cannot be read: /);
    await refused('nowhere.ndjson', /nowhere\.ndjson cannot be read: ENOENT/);
    expect(await importer.run('nowhere.ndjson', '--json')).toEqual<AdminAnswer>({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^nowhere\.ndjson cannot be read: ENOENT.*\n$/),
    });
    await refused(
      importer.file('cut.csv', gzipSync(csv([row], COLUMNS)).subarray(0, 60)),
      /cut\.csv cannot be read to the end: unexpected end of file/,
    );
    expect([await storedEvents(scene.api), await importedLines(scene.api)]).toEqual(before);
  });

  it('is rejected without a project, or for a project in the trash', async () => {
    const { importer, scene, experiment } = imports;
    const { make, world, api } = scene;
    const path = importer.file('any.ndjson', ndjson([exposed(experiment, 0)]));
    const gone = await api.project(world.teamId, 'Gone');
    expect((await world.people.admin.client.delete(`/projects/${gone}`)).status).toBe(204);
    for (const id of [gone, 987_654]) {
      const answer = await importer.admin.run(['events:import', '--project', String(id), '--file', path]);
      expect(answer).toEqual({ code: 1, stdout: '', stderr: `There is no project ${id}.\n` });
    }
    expect(make.project).toBe(`/projects/${importer.projectId}`);
  });

  it('keeps stored events if it is truncated', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const rows = Array.from({ length: 4_000 }, () => exposed(experiment, 0));
    const whole = gzipSync(ndjson(rows));
    const path = importer.file('cut.ndjson', whole.subarray(0, Math.floor(whole.length * 0.7)));
    expect(await importer.run(path)).toMatchObject({ code: 1, stderr: expect.stringMatching(/to the end/) });
    const stored = await storedEvents(scene.api);
    const kept = stored.filter(({ experiment_id }) => experiment_id === experiment.id).length;
    expect(kept).toBeGreaterThanOrEqual(1_000);
    expect(kept % 1_000).toBe(0);
    expect(await importer.import('whole.ndjson', whole)).toMatchObject({ accepted: 4_000 });
  });
});

it('an import accepts times long before the experiment, and keeps them exactly', async () => {
  const { importer, another, scene } = imports;
  const experiment = await another();
  const timestamp = ago(400 * DAY);
  await importer.import('old.ndjson', ndjson([exposed(experiment, 0, { timestamp })]));
  const { body } = await scene.client.get(`${experiment.path}/results/info`);
  expect(body.first_event_at).toBe(timestamp.replace('Z', '000Z'));
});
