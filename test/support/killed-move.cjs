'use strict';

/*
 * Preloaded into `events:move` (node --require): kills the process immediately before or after the KILL_TIME-th call of
 * KILL_CALL, depending on KILL_WHEN. Parts have at most 500 events, so tests need few events for several parts.
 */
const { changeClass } = require('./changed-classes.cjs');

const { KILL_CALL, KILL_TIME, KILL_WHEN } = process.env;

/** Wraps a method: counts its calls and kills the process at the configured call. */
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
