import { measureEventLog } from './event-log.mjs';
import { measureEventMove } from './event-move.mjs';
import { measureEvents } from './events.mjs';
import { withMysql, withSqlite } from './machine.mjs';
import { measureLargeResults } from './large-results.mjs';
import { measureManagement } from './management.mjs';
import { measurePages } from './pages.mjs';
import { measureProtections } from './protections.mjs';
import { measureDelivery } from './publishing.mjs';
import { measureResults } from './results.mjs';
import { CONNECTIONS, SECONDS } from './load.mjs';
import { ROUNDS } from './rounds.mjs';
import { measureShare } from './share.mjs';
import { measureStart } from './start.mjs';

/*
 * `npm run bench [part ...]`: runs most parts twice, on SQLite and on MariaDB or MySQL. The parts `pages` and
 * `protections` run on SQLite only, and `event-log` runs on MariaDB and ClickHouse.
 */

const MYSQL = 'MariaDB / MySQL';

const PARTS = {
  start: async () => {
    const goals = { milliseconds: 900, megabytes: 180 };
    await withSqlite((url) => measureStart('SQLite', url, goals));
    await withMysql((url) => measureStart(MYSQL, url, goals));
  },
  management: async () => {
    const goals = { list: 3, show: 0.7, written: { show4: 0.7, show50: 0.9, list4: 0.7 } };
    await withSqlite((url) =>
      measureManagement('SQLite', url, { ...goals, listChanged: 0.9, showChanged: 0.75, create: 0.55 }),
    );
    await withMysql((url) =>
      measureManagement(MYSQL, url, { ...goals, listChanged: 0.85, showChanged: 0.7, create: 0.6 }),
    );
  },
  events: async () => {
    await withSqlite((url) => measureEvents('SQLite', url, { collect: 0.5 }));
    await withMysql((url) => measureEvents(MYSQL, url, { collect: 0.5 }));
  },
  results: async () => {
    await withSqlite((url) => measureResults('SQLite', url, { results: 0.7, changed: 0.7 }));
    await withMysql((url) => measureResults(MYSQL, url, { results: 0.7, changed: 0.7 }));
    await withSqlite((url) => measureLargeResults('SQLite', url, 150));
    await withMysql((url) => measureLargeResults(MYSQL, url, 150));
  },
  publishing: async () => {
    await withSqlite((url) => measureDelivery('SQLite', url, { serve: 0.9, decisions: 1_000 }));
    await withMysql((url) => measureDelivery(MYSQL, url, { serve: 0.9, decisions: 1_000 }));
  },
  share: async () => {
    await withSqlite((url) => measureShare('SQLite', url));
    await withMysql((url) => measureShare(MYSQL, url));
  },
  pages: () => withSqlite((url) => measurePages('SQLite', url, 200)),
  protections: () => withSqlite((url) => withSqlite((other) => measureProtections(url, other))),
  'event-log': measureEventLog,
  'event-move': async () => {
    await withSqlite((url) => measureEventMove('SQLite', url));
    await withMysql((url) => measureEventMove(MYSQL, url));
  },
};

/** Parts that run only if they are named, because they take the longest. */
const ON_DEMAND = ['event-log', 'event-move'];
const usual = Object.keys(PARTS).filter((part) => !ON_DEMAND.includes(part));

const asked = process.argv.slice(2);
const unknown = asked.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections, medians`);
for (const part of asked.length === 0 ? usual : asked) {
  await PARTS[part]();
}
process.exit(0);
