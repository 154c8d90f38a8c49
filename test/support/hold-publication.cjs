'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): a publishing transaction blocks before its commit, and creates
 * HELD_FILE. The test then kills the server.
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
