'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): each publishing transaction creates HELD_FILE and then blocks
 * before its commit, so the test can kill the server at that moment.
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
