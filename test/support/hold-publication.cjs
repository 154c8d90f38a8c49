'use strict';

/*
 * Preloaded into a server (NODE_OPTIONS=--require): a transaction that publishes stops before its commit, and HELD_FILE
 * tells so. The server is to be killed then.
 */

require('reflect-metadata');
require('./single-files.cjs');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { PublicationStore } = require(join(__dirname, '../../dist/src/publishing/publication.store.js'));

const { setCurrent } = PublicationStore.prototype;

PublicationStore.prototype.setCurrent = async function (...given) {
  await setCurrent.apply(this, given);
  writeFileSync(process.env.HELD_FILE, '');
  await new Promise(() => undefined);
};
