'use strict';

/*
 * Loaded into `db:copy` before anything else (node --require): the process is killed when it stores page KILL_PAGE of
 * the table KILL_TABLE, right before or after the commit, as KILL_WHEN says.
 */
require('./single-files.cjs');
const { join } = require('node:path');

const { KILL_TABLE, KILL_PAGE, KILL_WHEN } = process.env;
let pages = 0;
let isReached = false;

const killIf = (when) => {
  if (isReached && KILL_WHEN === when) {
    process.kill(process.pid, 'SIGKILL');
  }
};

function watch({ prototype }) {
  const { insert, transaction } = prototype;
  prototype.insert = function (table, rows) {
    pages += table.name === KILL_TABLE ? 1 : 0;
    isReached = pages === Number(KILL_PAGE);
    return insert.call(this, table, rows);
  };
  prototype.transaction = async function (work) {
    const whole = async () => {
      const result = await work();
      killIf('before');
      return result;
    };
    const result = await transaction.call(this, whole);
    killIf('after');
    return result;
  };
}

watch(require(join(__dirname, '../../dist/src/database/copy/sqlite-end.js')).SqliteEnd);
watch(require(join(__dirname, '../../dist/src/database/copy/mysql-end.js')).MysqlEnd);
