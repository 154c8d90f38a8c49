'use strict';

const { configureGlobal, interruptAfterTimeLimit } = require('fast-check');

/** Far more than any property takes. jest's own timeout cannot stop a synchronous property; this one can. */
const TIME_LIMIT_MS = 100_000 * Number(process.env.PROPERTY_TIMES ?? 1);

configureGlobal({ plugins: [interruptAfterTimeLimit(TIME_LIMIT_MS, { failOnInterrupt: true })] });
