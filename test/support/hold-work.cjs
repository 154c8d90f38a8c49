'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): requests with an Idempotency-Key are not executed until the file
 * RELEASE_FILE exists. A waiting request creates HELD_FILE. While it waits, its claim is stored and renewed.
 */

const { existsSync, writeFileSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { changeClass } = require('./changed-classes.cjs');

const { HELD_FILE, RELEASE_FILE } = process.env;

changeClass('ClaimLeases', {
  during: (during, [claimId, work]) =>
    during(claimId, async () => {
      writeFileSync(HELD_FILE, '');
      while (!existsSync(RELEASE_FILE)) {
        await sleep(20);
      }
      return work();
    }),
});
