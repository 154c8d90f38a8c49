'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): work that came with an Idempotency-Key begins only when the file
 * RELEASE_FILE is there, and HELD_FILE tells that it waits. The claim is made, and renewed, meanwhile.
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
