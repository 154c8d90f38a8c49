'use strict';

/* Required by what changes single files of a program and is preloaded into it: these run then instead of the bundle. */

const { join } = require('node:path');
const { Bundle } = require(join(__dirname, '../../dist/src/platform/bundle.js'));

Bundle.read = () => null;
