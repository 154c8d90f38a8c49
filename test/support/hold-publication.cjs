'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): a transaction that publishes stops before its commit, and HELD_FILE
 * tells so. The server is to be killed then.
 */

const { writeFileSync } = require('node:fs');
const { changeClass } = require('./changed-classes.cjs');

changeClass('PublicationStore', {
  setCurrent: async (setCurrent, given) => {
    await setCurrent(...given);
    writeFileSync(process.env.HELD_FILE, '');
    await new Promise(() => undefined);
  },
});
