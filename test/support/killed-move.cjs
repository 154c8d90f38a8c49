'use strict';

/*
 * Preloaded into `events:move` (node --require): the process is killed at the KILL_TIME-th call of
 * KILL_CALL, right before or after it, depending on KILL_WHEN. Parts are small, so that few events make several parts.
 */
const { changeClass } = require('./changed-classes.cjs');

const { KILL_CALL, KILL_TIME, KILL_WHEN } = process.env;

/** Counts the calls of a method. */
function watched(name) {
  let calls = 0;
  return async (original, given) => {
    calls += 1;
    const isIt = name === KILL_CALL && calls === Number(KILL_TIME);
    if (isIt && KILL_WHEN === 'before') {
      process.kill(process.pid, 'SIGKILL');
    }
    const result = await original(...given);
    if (isIt) {
      process.kill(process.pid, 'SIGKILL');
    }
    return result;
  };
}

const methods = (...names) => Object.fromEntries(names.map((name) => [name, watched(name)]));

changeClass('EventMoves', methods('begin', 'advance', 'finish'));
changeClass('ClickHouse', methods('insert', 'rows', 'command'));
changeClass('EventMoveService', {}, { PART: 500 });
