'use strict';

/*
 * Preloaded into `db:copy` (node --require): kills the process when it stores page KILL_PAGE of the table KILL_TABLE,
 * immediately before or after the commit, depending on KILL_WHEN.
 */
const { changeClass } = require('./changed-classes.cjs');

const { KILL_TABLE, KILL_PAGE, KILL_WHEN } = process.env;
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

changeClass('SqliteEnd', methods);
changeClass('MysqlEnd', methods);
