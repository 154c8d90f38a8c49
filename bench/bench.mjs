import { measureEvents } from './events.mjs';
import { withMysql, withSqlite } from './machine.mjs';
import { measureManagement } from './management.mjs';
import { measureDelivery } from './publishing.mjs';
import { measureResults } from './results.mjs';
import { CONNECTIONS, ROUNDS, SECONDS } from './rounds.mjs';

/* `npm run bench [management|events|results|publishing ...]`: each part on SQLite and on MariaDB or MySQL. */

const MYSQL = 'MariaDB / MySQL';

const PARTS = {
  management: async () => {
    const goals = { listChanged: 0.7, list: 3, show: 0.7 };
    await withSqlite((url) => measureManagement('SQLite', url, { ...goals, create: 0.3 }));
    await withMysql((url) => measureManagement(MYSQL, url, { ...goals, create: 0.5 }));
  },
  events: async () => {
    await withSqlite((url) => measureEvents('SQLite', url, { collect: 0.5 }));
    await withMysql((url) => measureEvents(MYSQL, url, { collect: 0.5 }));
  },
  results: async () => {
    await withSqlite((url) => measureResults('SQLite', url, { results: 0.7 }));
    await withMysql((url) => measureResults(MYSQL, url, { results: 0.7 }));
  },
  publishing: async () => {
    await withSqlite((url) => measureDelivery('SQLite', url, { serve: 0.8 }));
    await withMysql((url) => measureDelivery(MYSQL, url, { serve: 0.8 }));
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s, ${CONNECTIONS} connections, medians`);
for (const part of asked.length === 0 ? Object.keys(PARTS) : asked) {
  await PARTS[part]();
}
process.exit(0);
