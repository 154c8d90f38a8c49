'use strict';

/* Preloaded into `events:export` (node --require): sends the process the signal SIGNAL twice while it writes a file. */
const { setTimeout: sleep } = require('node:timers/promises');
const { changeClass } = require('./changed-classes.cjs');

const DELIVERED_MS = 50;

changeClass('ExportFile', {
  write: async (write, given) => {
    for (let time = 0; time < 2; time += 1) {
      process.kill(process.pid, process.env.SIGNAL);
      await sleep(DELIVERED_MS);
    }
    return write(...given);
  },
});
