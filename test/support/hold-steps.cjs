'use strict';

/*
 * Preloaded into a server or worker whose events are in ClickHouse (node --require): between two steps of collection or
 * attribution it stops as long as the file `armed` in HOLD_FOLDER names that moment, and the file `held` tells that it
 * does. The worker rests shortly between its steps.
 */

require('reflect-metadata');
require('./single-files.cjs');
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const events = (file) => require(join(__dirname, '../../dist/src/events', `${file}.js`));
const { AttributionWorker } = events('attribution-worker');
const { ResultChanges } = events('result-changes');
const { ClickHouse } = events('clickhouse/clickhouse');
const { ClickHouseAttribution } = events('clickhouse/clickhouse-attribution');
const { ClickHouseEventLog } = events('clickhouse/clickhouse-log');
const { EventBatches } = events('clickhouse/event-batches.store');

const REST_MS = 50;
const folder = process.env.HOLD_FOLDER;

const isArmed = (moment) => {
  try {
    return readFileSync(join(folder, 'armed'), 'utf8') === moment;
  } catch {
    return false;
  }
};

async function hold(moment) {
  if (isArmed(moment)) {
    writeFileSync(join(folder, 'held'), moment);
    while (isArmed(moment)) {
      await sleep(5);
    }
  }
}

/** @param around gets the method, bound, and its arguments */
function wrap({ prototype }, method, around) {
  const original = prototype[method];
  prototype[method] = function (...given) {
    return around(original.bind(this), given);
  };
}

wrap(ClickHouse, 'insert', async (insert, given) => {
  await hold('opened, not inserted');
  await insert(...given);
  await hold('inserted, not noted');
});

wrap(ClickHouseEventLog, 'append', async (append, given) => {
  const stored = await append(...given);
  await hold('noted, not answered');
  return stored;
});

wrap(EventBatches, 'waiting', async (waiting, given) => {
  const batches = await waiting(...given);
  if (batches.length > 0) {
    await hold('chosen, not counted');
  }
  return batches;
});

wrap(ClickHouse, 'rows', async (rows, given) => {
  const answer = await rows(...given);
  if (/^WITH\s+rules AS/.test(given[0])) {
    await hold('counted, not applied');
  }
  return answer;
});

let hasApplied = false;
wrap(ResultChanges, 'apply', async (apply, given) => {
  await apply(...given);
  hasApplied = true;
  await hold('applied, not committed');
});

wrap(ClickHouseAttribution, 'step', async (step, given) => {
  hasApplied = false;
  const next = await step(...given);
  if (hasApplied) {
    await hold('committed');
  }
  return next;
});

wrap(AttributionWorker, 'step', async (step) => Math.min(await step(), REST_MS));
