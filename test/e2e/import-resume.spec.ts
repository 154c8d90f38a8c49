import { dayOf } from '../../src/common/time/clock';
import { ImportStore } from '../../src/events/import/import.store';
import { importFormatOf } from '../../src/events/file-formats';
import { ImportService } from '../../src/events/import/import.service';
import { moveStart } from '../../src/experiments/experiment-run.store';
import { attributeAll, conversion, exposure, send, shownCells, storedEvents } from '../support/events';
import {
  ago,
  COLUMNS,
  csv,
  DAY,
  exposed,
  HOUR,
  importedLines,
  killAfter,
  ndjson,
  traffic,
  useImports,
} from '../support/imports';
import type { Made } from '../support/scene';

/* Interrupted and repeated imports, and the results after imports. */

const imports = useImports();

/** The cells of an experiment, with variations by position. */
async function cellsOf({ id, variations }: Made): Promise<string[]> {
  const own = (await shownCells(imports.scene.api)).filter((cell) => cell.startsWith(`experiment_id=${id} `));
  return own
    .map((cell) =>
      cell
        .replace(/^experiment_id=\d+ /, '')
        .replace(
          /variation_id=(\d+)/,
          (_, variation) => `arm=${variations.findIndex((arm: Made) => arm.id === Number(variation))}`,
        ),
    )
    .sort();
}

const importHere = (file: string) =>
  imports.scene.api.app
    .get(ImportService, { strict: false })
    .import({ projectId: imports.importer.projectId, file, format: importFormatOf(file)! });

/** Rebuilds the results of an experiment, and asserts that its cells do not change. */
async function expectRebuiltAlike(experiment: Made): Promise<string[]> {
  const cells = await cellsOf(experiment);
  const rebuilt = await imports.importer.admin.json([
    'results:rebuild',
    '--experiment',
    String(experiment.id),
  ]);
  expect(rebuilt).toMatchObject([{ id: experiment.id }]);
  expect(await cellsOf(experiment)).toEqual(cells);
  return cells;
}

describe('an interrupted import', () => {
  it('resumes after the last stored line, wherever it is killed', async () => {
    const { importer, scene, another } = imports;
    const whole = await another();
    const reference = traffic(whole, 12_000);
    await importer.import('whole.ndjson', ndjson(reference));
    const experiment = await another();
    const bad = { ...exposed(experiment, 0), value: 'x', event: 'sale' };
    const rows = traffic(experiment, 12_000);
    const placed = rows.map((row, index) => ({ ...row, timestamp: reference[index].timestamp }));
    const path = importer.file('big.csv', csv([bad, ...placed, bad], COLUMNS));
    const index = (await importedLines(scene.api)).length;
    const stops: number[] = [];
    for (const lines of [1, 2_000, 4_000]) {
      stops.push(await killAfter(scene.api, importer.spawn(path), index, lines));
    }
    expect(stops[0]).toBeGreaterThan(0);
    expect(stops[2]).toBeGreaterThanOrEqual(4_000);
    expect(stops[2]).toBeLessThan(rows.length);
    expect(await importer.admin.json(importer.args(path))).toEqual({
      project_id: importer.projectId,
      file: path,
      lines: rows.length + 2,
      accepted: rows.length,
      rejected: 2,
      reasons: { invalid_value: 2 },
      rejected_lines: { invalid_value: [2, rows.length + 3] },
      ignored_links: {},
      ignored_link_lines: {},
      resumed_after: stops[2],
      imported_before: false,
    });
    expect(await cellsOf(experiment)).toEqual(await cellsOf(whole));
    await expectRebuiltAlike(experiment);
  }, 180_000);

  it('keeps committed batches, but nothing from the interrupted one', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const path = importer.file('failing.ndjson', ndjson(traffic(experiment, 3_000)));
    const store = scene.api.app.get(ImportStore, { strict: false });
    const advance = store.advance.bind(store);
    const spy = jest.spyOn(store, 'advance').mockImplementation(async (tx, from, to) => {
      await advance(tx, from, to);
      if (to.line === 3_000) {
        throw new Error('the disk is full');
      }
    });
    await expect(importHere(path)).rejects.toThrow('the disk is full');
    spy.mockRestore();
    const stored = (await storedEvents(scene.api)).filter(
      ({ experiment_id }) => experiment_id === experiment.id,
    );
    expect(stored).toHaveLength(1_500);
    expect((await importedLines(scene.api)).at(-1)).toBe(2_000);
    expect(await importHere(path)).toMatchObject({ accepted: 4_000, resumed_after: 2_000 });
  });

  it('runs only once if it is started twice at the same time', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const path = importer.file('twice.ndjson', ndjson(traffic(experiment, 3_000)));
    const results = await Promise.allSettled([importHere(path), importHere(path)]);
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(refusals).toEqual([
      expect.stringMatching(/^Error: Another process is importing the same file into this project/),
    ]);
    expect((await importHere(path)).accepted).toBe(4_000);
    const stored = (await storedEvents(scene.api)).filter(
      ({ experiment_id }) => experiment_id === experiment.id,
    );
    expect(stored).toHaveLength(3_000);
  });
});

describe('a repeated import', () => {
  it('does nothing, and reports that the file was imported before', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const rows = [exposed(experiment, 0), { ...exposed(experiment, 0), variation_id: 987_654 }];
    const report = await importer.import('once.ndjson', ndjson(rows));
    expect(report).toMatchObject({ lines: 2, accepted: 1, imported_before: false });
    const before = [
      await storedEvents(scene.api),
      await importedLines(scene.api),
      await shownCells(scene.api),
    ];
    const again = await importer.import('the same by another name.jsonl', ndjson(rows));
    expect(again).toEqual({ ...report, file: again.file, imported_before: true });
    expect([
      await storedEvents(scene.api),
      await importedLines(scene.api),
      await shownCells(scene.api),
    ]).toEqual(before);
  });

  it('of a changed file stores only its new events', async () => {
    const { importer, another } = imports;
    const experiment = await another();
    const rows = traffic(experiment, 30);
    await importer.import('grows.ndjson', ndjson(rows));
    const cells = await cellsOf(experiment);
    expect(await importer.import('grows.ndjson', `${ndjson(rows)}\n`)).toMatchObject({
      accepted: 40,
      imported_before: false,
    });
    expect(await cellsOf(experiment)).toEqual(cells);
    await importer.import('grows.csv', csv([...rows, exposed(experiment, 1)], COLUMNS));
    expect(await cellsOf(experiment)).toHaveLength(cells.length + 1);
  });

  it('reads the file again if messages were rejected and the project has changed since', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const rows = [exposed(experiment, 0), { ...exposed(experiment, 0), event: 'forgotten' }];
    const content = ndjson(rows);
    expect(await importer.import('forgotten.ndjson', content)).toMatchObject({
      reasons: { unknown_event: 1 },
    });
    await scene.make.goal({ name: 'Forgotten' });
    expect(await importer.import('forgotten.ndjson', content)).toMatchObject({
      accepted: 2,
      rejected: 0,
      imported_before: false,
    });
    await scene.make.goal({ name: 'Irrelevant' });
    expect(await importer.import('forgotten.ndjson', content)).toMatchObject({
      accepted: 2,
      imported_before: true,
    });
  });

  it('reads the file again if messages were rejected before the project changed and the import was resumed', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const unknown = { ...exposed(experiment, 0), event: 'late-goal' };
    const path = importer.file('resumed.ndjson', ndjson([unknown, ...traffic(experiment, 1_500)]));
    const store = scene.api.app.get(ImportStore, { strict: false });
    const advance = store.advance.bind(store);
    const spy = jest.spyOn(store, 'advance').mockImplementation(async (tx, from, to) => {
      if (to.line > 1_000) {
        throw new Error('stopped');
      }
      await advance(tx, from, to);
    });
    await expect(importHere(path)).rejects.toThrow('stopped');
    spy.mockRestore();
    await scene.make.goal({ name: 'Late goal' });
    expect(await importHere(path)).toMatchObject({ rejected: 1, resumed_after: 1_000 });
    expect(await importHere(path)).toMatchObject({ rejected: 0, imported_before: false });
    expect(await importHere(path)).toMatchObject({ rejected: 0, imported_before: true });
  });
});

describe('the results after an import', () => {
  it('are the same as for events sent to the server, and the same after a rebuild', async () => {
    const { importer, scene, another } = imports;
    const [sent, imported] = [await another(), await another()];
    const start = Date.now() - 2 * DAY;
    for (const { id } of [sent, imported]) {
      await scene.api.database.transaction((tx) => moveStart(tx, id, start * 1000, start * 1000));
      await scene.api.database.transaction((tx) =>
        tx.query('UPDATE project_versions SET version = version + 1'),
      );
    }
    const of = (experiment: Made, name: string): object[] =>
      Array.from({ length: 200 }, (_, index) => {
        const visitor = `${name}-${index}`;
        const at = (milliseconds: number) => ({
          timestamp: new Date(start + HOUR + milliseconds + index * 1_000).toISOString(),
          context: { device: { type: ['mobile', 'tablet', 'desktop'][index % 3] } },
        });
        const arms = experiment.variations as Made[];
        const shown = exposure(visitor, experiment.id, arms[index % 2].id, at(0));
        const crossing = exposure(visitor, experiment.id, arms[(index + 1) % 2].id, at(DAY));
        const sales = [
          conversion(visitor, 'sale', index / 7, at(-60_000)),
          conversion(visitor, 'sale', `${index}.125`, at(DAY)),
        ];
        return [shown, ...(index % 50 === 0 ? [crossing] : []), ...(index % 4 === 0 ? sales : [])];
      }).flat();
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const messages = of(sent, 'sent');
    expect((await send(scene.api, key, messages, { sentAt: undefined })).body).toMatchObject({ rejected: 0 });
    await attributeAll(scene.api);
    const report = await importer.import('same.ndjson', ndjson(of(imported, 'imported').reverse()));
    expect(report).toMatchObject({ accepted: messages.length, rejected: 0 });
    const cells = await cellsOf(imported);
    expect(cells.length).toBeGreaterThan(10);
    expect(cells).toEqual(await cellsOf(sent));
    expect(await expectRebuiltAlike(imported)).toEqual(await expectRebuiltAlike(sent));
  });

  it('are correct while the server collects, attributes and rebuilds', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const key = (await scene.client.get(scene.project)).body.client_key as string;
    const server = await scene.api.sibling({ WORKER: 'inline' });
    const path = importer.file('meanwhile.ndjson', ndjson(traffic(experiment, 3_000)));
    let isOver = false;
    let sent = 0;
    const collecting = (async () => {
      for (; !isOver; sent += 1) {
        const { status } = await send(server, key, [
          exposure(`live-${sent}`, experiment.id, experiment.variations[sent % 2].id),
        ]);
        expect(status).toBe(200);
      }
    })();
    const report = await importer.admin.json(importer.args(path));
    const rebuilds = [
      await importer.admin.json(['results:rebuild', '--project', String(importer.projectId)]),
    ];
    rebuilds.push(await importer.admin.json(['results:rebuild']));
    isOver = true;
    await collecting;
    await server.close();
    await attributeAll(scene.api);
    expect(report).toMatchObject({ accepted: 4_000, rejected: 0 });
    for (const rebuilt of rebuilds) {
      expect(rebuilt).toContainEqual({
        id: experiment.id,
        project_id: importer.projectId,
        name: experiment.name,
        rebuilt: true,
      });
    }
    const { body } = await scene.client.get(`${experiment.path}/results/info`);
    expect(body.participants).toBe(3_000 + sent);
    expect(sent).toBeGreaterThan(5);
    const cells = await expectRebuiltAlike(experiment);
    expect(cells.some((cell) => cell.includes(`entry_day=${dayOf(Date.parse(ago(10 * DAY)) * 1000)} `))).toBe(
      true,
    );
  }, 120_000);
});
