'use strict';

/*
 * Preloaded into a server or worker with events in ClickHouse (node --require): blocks at a named moment between steps
 * of collection or attribution, as long as the file `armed` in HOLD_FOLDER contains that name. It creates the file
 * `held` when it blocks. The worker pauses for at most REST_MS between its steps.
 */

const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { changeClass } = require('./changed-classes.cjs');

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

changeClass('ClickHouse', {
  insert: async (insert, given) => {
    await hold('opened, not inserted');
    await insert(...given);
    await hold('inserted, not noted');
  },
  rows: async (rows, given) => {
    const answer = await rows(...given);
    if (/^WITH\s+rules AS/.test(given[0])) {
      await hold('counted, not applied');
    }
    return answer;
  },
});

changeClass('ClickHouseEventLog', {
  append: async (append, given) => {
    const stored = await append(...given);
    await hold('noted, not answered');
    return stored;
  },
});

changeClass('EventBatches', {
  waiting: async (waiting, given) => {
    const batches = await waiting(...given);
    if (batches.length > 0) {
      await hold('chosen, not counted');
    }
    return batches;
  },
});

let hasApplied = false;
changeClass('ResultChanges', {
  apply: async (apply, given) => {
    await apply(...given);
    hasApplied = true;
    await hold('applied, not committed');
  },
});

changeClass('ClickHouseAttribution', {
  step: async (step, given) => {
    hasApplied = false;
    const next = await step(...given);
    if (hasApplied) {
      await hold('committed');
    }
    return next;
  },
});

changeClass('AttributionWorker', { step: async (step) => Math.min(await step(), REST_MS) });
