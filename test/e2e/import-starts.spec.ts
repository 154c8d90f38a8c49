import { formatMicros } from '../../src/common/time/clock';
import { moveStart } from '../../src/experiments/experiment-run.store';
import { ImportWriter } from '../../src/events/import/import-writer';
import { ago, COLUMNS, csv, DAY, exposed, HOUR, ndjson, useImports } from '../support/imports';
import type { Made } from '../support/scene';
import { behindAnotherWrite } from '../support/lock';

/* An imported exposure can be earlier than the start of its experiment. The start then moves back to the first exposure. */

const imports = useImports();

/** The time of an event in the format of records. */
const shown = (timestamp: string): string => timestamp.replace('Z', '000Z');

const recordOf = async ({ path }: Made) => (await imports.scene.client.get(path)).body;

async function runsOf({ id }: Made): Promise<(string | null)[][]> {
  const rows: { started_at: string; ended_at: string | null }[] = await imports.scene.api.database.read.query(
    'SELECT started_at, ended_at FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at',
    [id],
  );
  return rows.map(({ started_at, ended_at }) => [
    formatMicros(Number(started_at)),
    ended_at === null ? null : formatMicros(Number(ended_at)),
  ]);
}

describe('the start of an experiment', () => {
  it('moves back to the first imported exposure in all responses, and so does the start of the run', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const untouched = await another();
    const lists = [experiment.path, `${scene.project}/experiments`];
    const tags = await Promise.all(
      lists.map(async (path) => String((await scene.client.get(path)).headers.etag)),
    );
    const [first, second] = [ago(20 * DAY), ago(3 * DAY)];
    const rows = [second, first, ago(10 * DAY)].map((timestamp) => exposed(experiment, 0, { timestamp }));
    await importer.import('back.csv', csv(rows, COLUMNS));
    for (const [index, path] of lists.entries()) {
      const answer = await scene.client.get(path, { 'if-none-match': tags[index] });
      expect([path, answer.status]).toEqual([path, 200]);
    }
    const record = await recordOf(experiment);
    expect(record).toMatchObject({ started_at: shown(first), status: 'running' });
    expect(record.updated_at > experiment.updated_at).toBe(true);
    expect(await runsOf(experiment)).toEqual([[shown(first), null]]);
    expect(await recordOf(untouched)).toEqual({ ...untouched, path: undefined });
    const [{ variationStatistics }] = (await scene.client.get(`${experiment.path}/results`)).body;
    const { daysRunning } = variationStatistics[experiment.variations[0].id].duration;
    expect(Math.abs(daysRunning - 20)).toBeLessThan(0.01);
  });

  it('moves although the project changes during many attempts', async () => {
    const { scene, importer, another } = imports;
    const experiment = await another();
    const timestamp = ago(6 * DAY);
    const writer = scene.api.app.get(ImportWriter, { strict: false });
    const versionOf = writer.versionOf.bind(writer);
    const changing = jest.spyOn(writer, 'versionOf');
    for (let change = 1; change <= 9; change += 1) {
      changing.mockImplementationOnce(async (projectId) => {
        const version = await versionOf(projectId);
        await scene.client.patch(experiment.path, { description: `Change ${change}` });
        return version;
      });
    }
    const { experiment_id, variation_id, ...fields } = exposed(experiment, 0, { timestamp });
    await writer.store(importer.projectId, [{ ...fields, properties: { experiment_id, variation_id } }]);
    changing.mockRestore();
    expect(await recordOf(experiment)).toMatchObject({
      started_at: shown(timestamp),
      description: 'Change 9',
    });
  });

  it('has an audit entry for the move', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const timestamp = ago(5 * DAY);
    await importer.import('audited.ndjson', ndjson([exposed(experiment, 0, { timestamp })]));
    const [entry] = await scene.api.database.read.query(
      "SELECT source, project_id, `before`, `after` FROM audit_entries WHERE action = 'move-start' AND item_id = ?",
      [experiment.id],
    );
    expect(entry).toMatchObject({ source: 'admin', project_id: importer.projectId });
    expect(JSON.parse(entry.before)).toEqual({ started_at: experiment.started_at });
    expect(JSON.parse(entry.after)).toEqual({ started_at: shown(timestamp) });
  });

  it('does not move for exposures after the start or in the same millisecond, or for conversions', async () => {
    const { importer, another } = imports;
    const experiment = await another();
    const inside = `${(experiment.started_at as string).slice(0, 23)}Z`;
    const conversion = { ...exposed(experiment, 0), event: 'sale', timestamp: ago(9 * DAY) };
    await importer.import(
      'inside.ndjson',
      ndjson([exposed(experiment, 0, { timestamp: inside }), conversion]),
    );
    expect(await recordOf(experiment)).toEqual({ ...experiment, path: undefined });
  });

  it('moves further back with a later batch or file, but never forward', async () => {
    const { importer, another } = imports;
    const experiment = await another();
    const [first, second, third] = [ago(4 * DAY), ago(8 * DAY), ago(9 * DAY)];
    const recent = Array.from({ length: 1_200 }, () => exposed(experiment, 0, { timestamp: ago(HOUR) }));
    const rows = [
      exposed(experiment, 0, { timestamp: first }),
      ...recent,
      exposed(experiment, 1, { timestamp: second }),
    ];
    expect(await importer.import('two batches.csv', csv(rows, COLUMNS))).toMatchObject({ rejected: 0 });
    expect((await recordOf(experiment)).started_at).toBe(shown(second));
    await importer.import('earlier.ndjson', ndjson([exposed(experiment, 0, { timestamp: third })]));
    await importer.import('later.ndjson', ndjson([exposed(experiment, 0, { timestamp: first })]));
    expect((await recordOf(experiment)).started_at).toBe(shown(third));
    expect(await runsOf(experiment)).toEqual([[shown(third), null]]);
  });

  it('moves for paused and archived experiments, without changing when their runs ended', async () => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    await scene.make.move(experiment, 'pause');
    await scene.make.move(experiment, 'running');
    await scene.make.move(experiment, 'pause');
    await scene.make.move(experiment, 'archive');
    const before = await runsOf(experiment);
    const timestamp = ago(2 * DAY);
    const rows = [exposed(experiment, 0, { timestamp }), exposed(experiment, 0, { timestamp: ago(0) })];
    expect(await importer.import('archived.ndjson', ndjson(rows))).toMatchObject({
      accepted: 1,
      reasons: { experiment_not_running: 1 },
    });
    expect(await recordOf(experiment)).toMatchObject({ status: 'archive', started_at: shown(timestamp) });
    expect(await runsOf(experiment)).toEqual([[shown(timestamp), before[0][1]], before[1]]);
  });

  it('does not move to placeholder timestamps', async () => {
    const { importer, another } = imports;
    const experiment = await another();
    const unset = ['0001-01-01T00:00:00Z', '1899-12-30T00:00:00Z', '1970-01-01T00:00:00Z'];
    const rows = unset.map((timestamp) => exposed(experiment, 0, { timestamp }));
    expect(await importer.import('unset.ndjson', ndjson(rows))).toMatchObject({
      accepted: 0,
      reasons: { invalid_timestamp: unset.length },
    });
    expect(await recordOf(experiment)).toEqual({ ...experiment, path: undefined });
    const timestamp = '2000-01-01T00:00:00.000Z';
    await importer.import('first.ndjson', ndjson([exposed(experiment, 0, { timestamp })]));
    expect((await recordOf(experiment)).started_at).toBe(shown(timestamp));
  });

  it('moves for several experiments in one transaction, together with the events', async () => {
    const { importer, another } = imports;
    const experiments = [await another(), await another()];
    const timestamp = ago(6 * DAY);
    await importer.import(
      'several.ndjson',
      ndjson(experiments.map((each) => exposed(each, 0, { timestamp }))),
    );
    for (const experiment of experiments) {
      expect((await recordOf(experiment)).started_at).toBe(shown(timestamp));
    }
  });

  it('does not move if nothing is stored', async () => {
    const { scene, importer, another } = imports;
    const experiment = await another();
    const writer = scene.api.app.get(ImportWriter, { strict: false });
    const { experiment_id, variation_id, ...fields } = exposed(experiment, 0, { timestamp: ago(7 * DAY) });
    const messages = [{ ...fields, properties: { experiment_id, variation_id } }];
    const failing = writer.store(importer.projectId, messages, () => Promise.reject(new Error('no room')));
    await expect(failing).rejects.toThrow('no room');
    expect(await recordOf(experiment)).toEqual({ ...experiment, path: undefined });
    expect((await scene.client.get(`${experiment.path}/results`)).status).toBe(404);
  });

  it('takes concurrent changes to the project into account', async () => {
    const { scene, importer, another } = imports;
    const experiment = await another();
    const writer = scene.api.app.get(ImportWriter, { strict: false });
    const { experiment_id, variation_id, ...fields } = exposed(experiment, 0, { timestamp: ago(7 * DAY) });
    const messages = [{ ...fields, properties: { experiment_id, variation_id } }];
    const { receipt } = await behindAnotherWrite(
      scene.api,
      importer.projectId,
      async (tx) => {
        await tx.query('DELETE FROM variations WHERE id = ?', [variation_id]);
        await tx.query('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [
          importer.projectId,
        ]);
      },
      () => writer.store(importer.projectId, messages),
    );
    expect(receipt).toEqual({ accepted: 0, rejected: [{ index: 0, reason: 'unknown_variation' }] });
    expect((await recordOf(experiment)).started_at).toBe(experiment.started_at);
  });

  it('never moves forward, even if a concurrent import moves it further back', async () => {
    const { scene, importer, another } = imports;
    const experiment = await another();
    await importer.import('collected.ndjson', ndjson([exposed(experiment, 0, { timestamp: ago(0) })]));
    const writer = scene.api.app.get(ImportWriter, { strict: false });
    const { experiment_id, variation_id, ...fields } = exposed(experiment, 0, { timestamp: ago(7 * DAY) });
    const messages = [{ ...fields, properties: { experiment_id, variation_id } }];
    const further = (Date.now() - 9 * DAY) * 1_000;
    const { receipt } = await behindAnotherWrite(
      scene.api,
      importer.projectId,
      async (tx) => {
        await moveStart(tx, experiment.id, further, further);
        await tx.query('UPDATE project_versions SET version = version + 1 WHERE project_id = ?', [
          importer.projectId,
        ]);
      },
      () => writer.store(importer.projectId, messages),
    );
    expect(receipt).toEqual({ accepted: 1, rejected: [] });
    expect(await runsOf(experiment)).toEqual([[formatMicros(further), null]]);
    expect((await recordOf(experiment)).started_at).toBe(formatMicros(further));
  });
});
