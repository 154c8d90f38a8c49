'use strict';

/*
 * Preloaded into `db:copy` (node --require): kills the process when it stores page KILL_PAGE of the table KILL_TABLE,
 * immediately before or after the commit, depending on KILL_WHEN. With KILL_METHOD, kills it
 * when it first calls this method of a database: `close` is called before the target is migrated, and `nextId` before
 * the source is copied.
 */
const { changeClass } = require('./changed-classes.cjs');

const { KILL_TABLE, KILL_PAGE, KILL_WHEN, KILL_METHOD } = process.env;
let pages = 0;
let isReached = false;

const killIf = (when) => {
  if (isReached && KILL_WHEN === when) {
    process.kill(process.pid, 'SIGKILL');
  }
};

const methods = {
  insert: (insert, [table, rows]) => {
    pages += table.name === KILL_TABLE ? 1 : 0;
    isReached = pages === Number(KILL_PAGE);
    return insert(table, rows);
  },
  transaction: async (transaction, [work]) => {
    const whole = async () => {
      const result = await work();
      killIf('before');
      return result;
    };
    const result = await transaction(whole);
    killIf('after');
    return result;
  },
};

if (KILL_METHOD !== undefined) {
  methods[KILL_METHOD] = () => process.kill(process.pid, 'SIGKILL');
}

changeClass('SqliteEnd', methods);
changeClass('MysqlEnd', methods);
