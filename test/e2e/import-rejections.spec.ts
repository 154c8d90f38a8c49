import { randomUUID } from 'node:crypto';
import { EventLog } from '../../src/events/event-log';
import { ImportService } from '../../src/events/import/import.service';
import { AdminCommand } from '../support/admin';
import {
  ago,
  COLUMNS,
  converted,
  csv,
  DAY,
  exposed,
  HOUR,
  ndjson,
  Row,
  traffic,
  useImports,
} from '../support/imports';

/* Rejections of events:import, and their reports. */

const imports = useImports();

describe('an invalid line of a file', () => {
  const wrongFields = (): [reason: string, fields: Row][] => [
    ['invalid_value', { value: 1e308 }],
    ['invalid_value', { value: 'NaN' }],
    ['invalid_value', { value: '12,5' }],
    ['invalid_visitor', { anonymousId: 'a\0b' }],
    ['invalid_visitor', { anonymousId: 'x'.repeat(10_000) }],
    ['invalid_visitor', { anonymousId: '' }],
    ['invalid_message_id', { messageId: '' }],
    ['invalid_message_id', { messageId: 'x'.repeat(256) }],
    ['timestamp_in_future', { timestamp: ago(-HOUR) }],
    ['invalid_timestamp', { timestamp: '2026-02-30' }],
    ['invalid_timestamp', { timestamp: '2026-02-30T10:00:00Z' }],
    ['invalid_timestamp', { timestamp: '' }],
    ['invalid_timestamp', { timestamp: '0001-01-01T00:00:00Z' }],
    ['invalid_timestamp', { timestamp: '1999-12-31T23:59:59.999Z' }],
    ['unknown_event', { event: 'no-such-goal' }],
    ['unknown_type', { type: 'delete' }],
    ['invalid_message', { type: '' }],
    ['invalid_url', { type: 'page', url: 'no address' }],
    ['no_matching_page', { type: 'page', url: 'https://shop.example/elsewhere' }],
  ];

  async function wrongExposures(): Promise<[reason: string, row: Row][]> {
    const { experiment, another, scene } = imports;
    const archived = await another();
    await scene.make.move(archived, 'pause');
    await scene.make.move(archived, 'archive');
    const deleted = await another();
    await scene.client.patch(`${deleted.path}/status`, { status: 'pause' });
    expect((await scene.client.delete(deleted.path)).status).toBe(204);
    return [
      ['unknown_experiment', exposed(experiment, 0, { experiment_id: 987_654 })],
      ['unknown_experiment', exposed(experiment, 0, { experiment_id: 'exp-987654' })],
      ['unknown_experiment', exposed(deleted, 0)],
      ['unknown_variation', exposed(experiment, 0, { variation_id: archived.variations[0].id as number })],
      ['experiment_not_running', exposed(await another('draft'), 0)],
      ['experiment_in_preview', exposed(await another('preview'), 0)],
      ['experiment_not_running', exposed(archived, 0, { timestamp: ago(0) })],
    ];
  }

  const counted = (reasons: readonly string[], firstLine: number): object => {
    const lines = (reason: string): number[] =>
      reasons.flatMap((given, index) => (given === reason ? [index + firstLine] : []));
    const known = [...new Set(reasons)];
    return {
      lines: reasons.length + 2,
      accepted: 2,
      rejected: reasons.length,
      reasons: Object.fromEntries(known.map((reason) => [reason, lines(reason).length])),
      rejected_lines: Object.fromEntries(known.map((reason) => [reason, lines(reason).slice(0, 3)])),
    };
  };

  it('is counted by reason with its line number, and does not affect other lines', async () => {
    const { importer, experiment } = imports;
    const wrong = [
      ...wrongFields().map(([reason, fields]): [string, Row] => [
        reason,
        converted('visitor', 'sale', fields),
      ]),
      ...(await wrongExposures()),
    ];
    const reasons = wrong.map(([reason]) => reason);
    const good = (): Row => exposed(experiment, 0);
    const rows = (): Row[] => [good(), ...wrong.map(([, row]) => row), good()];
    expect(await importer.import('bad.csv', csv(rows(), COLUMNS))).toMatchObject(counted(reasons, 3));
    // Empty fields in CSV count as missing. In JSON, an empty type is an unknown type.
    const inJson = reasons.map((reason, index) => (wrong[index][1].type === '' ? 'unknown_type' : reason));
    expect(await importer.import('bad.ndjson', ndjson(rows()))).toMatchObject(counted(inJson, 2));
  });

  it('can be something other than a message', async () => {
    const { importer, experiment } = imports;
    const good = (): string => JSON.stringify(exposed(experiment, 0));
    const long = JSON.stringify({ ...exposed(experiment, 0), note: 'x'.repeat(1_048_576) });
    const lines = [
      good(),
      'null',
      '{"type": "track"',
      '[]',
      '"text"',
      Buffer.from([0xff, 0xfe]),
      long,
      good(),
    ];
    const content = Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from('\n')]));
    expect(await importer.import('broken.ndjson', content)).toMatchObject({
      accepted: 2,
      rejected: 6,
      reasons: { invalid_message: 6 },
      rejected_lines: { invalid_message: [2, 3, 4] },
    });
  });

  it('can be a row whose columns differ from the header, or whose quotes are invalid', async () => {
    const { importer, experiment } = imports;
    const columns = [
      'type',
      'event',
      'anonymousId',
      'messageId',
      'timestamp',
      'experiment_id',
      'variation_id',
      'note',
    ];
    const good = (note: string): string => {
      const row: Row = exposed(experiment, 0);
      return [...columns.slice(0, -1).map((column) => row[column]), note].join(',');
    };
    const lines = [
      columns.join(','),
      good('fine'),
      good('one, too many'),
      good('a 12" pan'),
      good('"two\n lines"'),
      good('"never closed'),
      good('also fine'),
      'track',
      good('"a ""good"" end"'),
    ];
    expect(await importer.import('quotes.csv', lines.join('\n'))).toMatchObject({
      accepted: 4,
      rejected: 4,
      reasons: { invalid_message: 4 },
      rejected_lines: { invalid_message: [3, 4, 7] },
    });
  });

  it('is explained in a sentence', async () => {
    const { importer, experiment } = imports;
    const wrong = Array.from({ length: 4 }, () => converted('v', 'sale', { value: 'NaN' }));
    const path = importer.file('words.ndjson', ndjson([exposed(experiment, 0), ...wrong, { type: 'track' }]));
    const { code, stdout, stderr } = await importer.run(path);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      `Imported ${path} into project ${importer.projectId}.`,
      '6 messages: 1 accepted, 5 rejected.',
      '  4  invalid_value    The value is not a decimal between -1,000,000,000 and 1,000,000,000. (lines 2, 3, 4, ...)',
      '  1  invalid_visitor  The anonymousId (or the userId, if there is no anonymousId) is not 1 to 64 printable ASCII characters. (line 6)',
      '',
    ]);
    expect((await importer.run(path)).stdout.split('\n')[0]).toBe(
      `${path} was already imported into project ${importer.projectId}. No event was stored again; the results are up to date.`,
    );
  });
});

describe('a file that is imported again once the reason for a rejection no longer applies', () => {
  it('is read again once a deleted visitor is allowed again', async () => {
    const { importer, scene, experiment } = imports;
    const gone = exposed(experiment, 0, { anonymousId: 'gone' });
    await importer.import('gone.ndjson', ndjson([gone]));
    expect((await scene.client.delete(`${scene.project}/visitors/gone`)).status).toBe(204);
    const content = ndjson([gone, exposed(experiment, 0)]);
    expect(await importer.import('back.ndjson', content)).toMatchObject({ reasons: { visitor_deleted: 1 } });
    await scene.api.database.transaction((tx) => tx.query('UPDATE deleted_visitors SET expires_at = 0'));
    expect(await importer.import('back.ndjson', content)).toMatchObject({ accepted: 2, rejected: 0 });
  });

  it.each([
    ['the first exposure', 0],
    ['an exposure that moved the start of its experiment', 20 * DAY],
  ])('is read again if the project changed right after %s was stored', async (name, age) => {
    const { importer, scene, another } = imports;
    const experiment = await another();
    const unknown = { ...exposed(experiment, 0), event: `goal-${age}` };
    const path = importer.file(
      `${name}.ndjson`,
      ndjson([exposed(experiment, 0, { timestamp: ago(age) }), unknown]),
    );
    const importHere = () =>
      scene.api.app
        .get(ImportService, { strict: false })
        .import({ projectId: importer.projectId, file: path, format: 'ndjson' });
    const log = scene.api.app.get(EventLog, { strict: false });
    const append = log.append.bind(log);
    const stored = jest.spyOn(log, 'append').mockImplementationOnce(async (...batch) => {
      const result = await append(...batch);
      await scene.make.goal({ name: `Goal ${age}` });
      return result;
    });
    expect(await importHere()).toMatchObject({ accepted: 1, reasons: { unknown_event: 1 } });
    stored.mockRestore();
    expect(await importHere()).toMatchObject({ accepted: 2, imported_before: false });
    expect(await importHere()).toMatchObject({ accepted: 2, imported_before: true });
  });

  it('is not read again if the import itself changed the project, by moving the start of an experiment', async () => {
    const { importer, another } = imports;
    const experiment = await another();
    const rows = [{ ...exposed(experiment, 0), event: 'never-known' }, ...traffic(experiment, 1_500)];
    const content = ndjson(rows);
    expect(await importer.import('moved.ndjson', content)).toMatchObject({ rejected: 1 });
    expect(await importer.import('moved.ndjson', content)).toMatchObject({ imported_before: true });
  });

  it('is read again once a visitor can have more events', async () => {
    const { importer, scene, experiment } = imports;
    const rows = [0, 0, 1].map((arm) => exposed(experiment, arm, { anonymousId: 'many' }));
    await importer.import('few.ndjson', ndjson(rows.slice(0, 2)));
    const path = importer.file('many.ndjson', ndjson(rows));
    const limited = new AdminCommand(scene.api.databaseUrl, { EVENTS_PER_VISITOR: '2' });
    expect(await limited.json(importer.args(path))).toMatchObject({ reasons: { too_many_events: 1 } });
    limited.remove();
    expect(await importer.admin.json(importer.args(path))).toMatchObject({ accepted: 3, rejected: 0 });
  });
});

describe('ids in a file that are not linked', () => {
  const identified = (anonymousId: string, userId: string): Row => ({
    type: 'identify',
    anonymousId,
    userId,
    messageId: randomUUID(),
    timestamp: ago(HOUR),
  });

  it('are counted by reason, with the lines of their messages, which are accepted', async () => {
    const { importer } = imports;
    const rows = [
      identified('phone', 'anna'),
      identified('phone', 'boris'),
      identified('anna', 'anna'),
      identified('phone', 'clara'),
    ];
    const path = importer.file('links.ndjson', ndjson(rows));
    expect(await importer.admin.json(importer.args(path))).toMatchObject({
      accepted: 4,
      rejected: 0,
      ignored_links: { linked_to_other: 2, same_id: 1 },
      ignored_link_lines: { linked_to_other: [2, 4], same_id: [3] },
    });
    const { stdout } = await importer.run(path);
    expect(stdout.split('\n')).toEqual([
      `Imported ${path} into project ${importer.projectId}.`,
      '4 messages: 4 accepted, 0 rejected.',
      '3 accepted messages linked no ids.',
      '  2  linked_to_other  The anonymous id is linked to another user. (lines 2, 4)',
      '  1  same_id          The ids to link are the same. (line 3)',
      '',
    ]);
  });

  it('are linked if the file is imported again once the reason no longer applies', async () => {
    const { importer, scene } = imports;
    const content = ndjson([identified('tablet', 'dora')]);
    await importer.import('other.ndjson', ndjson([identified('tablet', 'emil')]));
    expect(await importer.import('links-again.ndjson', content)).toMatchObject({
      ignored_links: { linked_to_other: 1 },
    });
    await scene.api.database.transaction((tx) => tx.query('DELETE FROM linked_visitors'));
    expect(await importer.import('links-again.ndjson', content)).toMatchObject({
      ignored_links: {},
      imported_before: false,
    });
  });
});
