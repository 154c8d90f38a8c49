'use strict';

const { configureGlobal, interruptAfterTimeLimit } = require('fast-check');

/** Far longer than any property takes. Unlike jest's own timeout, this limit also stops synchronous properties. */
const TIME_LIMIT_MS = 100_000 * Number(process.env.PROPERTY_TIMES ?? 1);

configureGlobal({ plugins: [interruptAfterTimeLimit(TIME_LIMIT_MS, { failOnInterrupt: true })] });
