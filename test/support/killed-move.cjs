'use strict';

/*
 * Loaded into `events:move` before anything else (node --require): the process is killed at the KILL_TIME-th call of
 * KILL_CALL, right before or after what it does, as KILL_WHEN says. Its parts are small, so that few events are several.
 */
require('./single-files.cjs');
const { join } = require('node:path');

const { KILL_CALL, KILL_TIME, KILL_WHEN } = process.env;
const events = join(__dirname, '../../dist/src/events');

function watch({ prototype }, name) {
  const original = prototype[name];
  let calls = 0;
  prototype[name] = async function (...given) {
    calls += 1;
    const isIt = name === KILL_CALL && calls === Number(KILL_TIME);
    if (isIt && KILL_WHEN === 'before') {
      process.kill(process.pid, 'SIGKILL');
    }
    const result = await original.apply(this, given);
    if (isIt) {
      process.kill(process.pid, 'SIGKILL');
    }
    return result;
  };
}

const { EventMoves } = require(join(events, 'move/event-moves.store.js'));
const { EventMoveService } = require(join(events, 'move/event-move.service.js'));
const { ClickHouse } = require(join(events, 'clickhouse/clickhouse.js'));
['begin', 'advance', 'finish'].forEach((name) => watch(EventMoves, name));
['insert', 'rows', 'command'].forEach((name) => watch(ClickHouse, name));
EventMoveService.PART = 500;
