import { request } from './machine.mjs';

/* Creates experiments with results, stored in the same form as by attribution. */

const DAY_MICROS = 86_400_000_000;
const DAY_MS = DAY_MICROS / 1000;
const ENTERED = 0;
const ROWS_AT_ONCE = 50;
const COLUMNS =
  'experiment_id, generation, goal_id, variation_id, phase, device, entry_day, event_day, participants, converters, conversions, value, value_squared';
const TUPLE = '(?, 1, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)';
/** All events are on the day of entry, so each entry cell is a copy of one result cell. */
const ENTRY_COLUMNS = COLUMNS.replace('event_day, ', '');
const ENTRY_CELLS = `INSERT INTO entry_cells (${ENTRY_COLUMNS}) SELECT ${ENTRY_COLUMNS} FROM result_cells WHERE experiment_id = ?`;

/** Creates a running experiment of the given size. Half of its goals have values. */
export async function seedShared(address, { token, filled }, size) {
  const { variations, goals, days } = size;
  const project = `/projects/${filled}`;
  const send = (method, path, body) => request(address, token, method, `${project}${path}`, body);
  const page = await send('POST', '/pages', { name: `Page for ${goals}` });
  const attached = [];
  for (let number = 1; number <= goals; number += 1) {
    const kind = number % 2 === 0 ? { value_type: 'revenue' } : {};
    attached.push((await send('POST', '/goals', { name: `Goal ${number} of ${goals}`, ...kind })).id);
  }
  const made = await send('POST', '/experiments', {
    name: `${variations} variations, ${goals} goals`,
    variations: Array.from({ length: variations }, (_, index) => ({ name: `Variation number ${index}` })),
    pages: [page.id],
    goals: attached,
  });
  await send('PATCH', `/experiments/${made.id}/status`, { status: 'running' });
  const { share_url } = await send('GET', `/experiments/${made.id}/results/info`);
  const { client_key } = await send('GET', '');
  const today = Math.floor(Date.now() / DAY_MS);
  return {
    size,
    id: made.id,
    variations: made.variations.map(({ id }) => id),
    goals: attached,
    address: `${address}${new URL(share_url).pathname}`,
    clientKey: client_key,
    today,
    days: Array.from({ length: days }, (_, index) =>
      new Date((today - days + 1 + index) * DAY_MS).toISOString().slice(0, 10),
    ),
  };
}

function* cellsOf({ id, variations, goals, size, today }) {
  for (let day = today - size.days + 1; day <= today; day += 1) {
    for (const [index, variation] of variations.entries()) {
      for (let device = 0; device < size.devices; device += 1) {
        const entered = 200 + ((day * 7 + index * 11 + device) % 23);
        yield [id, ENTERED, variation, device, day, day, entered, 0, 0, '0', '0'];
        for (const [place, goal] of goals.entries()) {
          const converters = 10 + ((day + index * 3 + place * 5) % 9);
          const value = place % 2 === 0 ? 0n : BigInt(converters) * 450_000n;
          const squares = place % 2 === 0 ? 0n : BigInt(converters) * 250_000_000_000n;
          const sums = [String(value), String(squares)];
          yield [id, goal, variation, device, day, day, 0, converters, converters, ...sums];
        }
      }
    }
  }
}

/** Stores the result cells of an experiment from `seedShared`. */
export async function insertCells(store, shared) {
  const last = (shared.today + 1) * DAY_MICROS - 1;
  await store.run('DELETE FROM experiment_results WHERE experiment_id = ?', [shared.id]);
  await store.run(
    'INSERT INTO experiment_results (experiment_id, version, generation, first_event_at, last_event_at) VALUES (?, 1, 1, ?, ?)',
    [shared.id, (shared.today - shared.size.days + 1) * DAY_MICROS, last],
  );
  await store.transaction(async (tx) => {
    let rows = [];
    const flush = async () => {
      const tuples = rows.map(() => TUPLE).join(', ');
      await tx.run(`INSERT INTO result_cells (${COLUMNS}) VALUES ${tuples}`, rows.flat());
      rows = [];
    };
    for (const row of cellsOf(shared)) {
      rows.push(row);
      if (rows.length === ROWS_AT_ONCE) {
        await flush();
      }
    }
    if (rows.length > 0) {
      await flush();
    }
    await tx.run(ENTRY_CELLS, [shared.id]);
  });
}
