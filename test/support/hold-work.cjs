'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): work that came with an Idempotency-Key begins only when the file
 * RELEASE_FILE is there, and HELD_FILE tells that it waits. The claim is made, and renewed, meanwhile.
 */

require('reflect-metadata');
require('./single-files.cjs');
const { existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { ClaimLeases } = require(join(__dirname, '../../dist/src/idempotency/claim-leases.js'));

const { HELD_FILE, RELEASE_FILE } = process.env;
const { during } = ClaimLeases.prototype;

ClaimLeases.prototype.during = function (claimId, work) {
  return during.call(this, claimId, async () => {
    writeFileSync(HELD_FILE, '');
    while (!existsSync(RELEASE_FILE)) {
      await sleep(20);
    }
    return work();
  });
};
