'use strict';

const { configureGlobal, interruptAfterTimeLimit } = require('fast-check');

/** Far more than any property takes. jest's own deadline cannot end a property that never waits; this does. */
const TIME_LIMIT_MS = 100_000 * Number(process.env.PROPERTY_TIMES ?? 1);

configureGlobal({ plugins: [interruptAfterTimeLimit(TIME_LIMIT_MS, { failOnInterrupt: true })] });
