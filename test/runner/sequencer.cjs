'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Small test files that take a long time to run, longest first. jest starts with the files that took longest in earlier
 * runs. In a fresh clone, it starts with the largest files, so these would run last while other workers are idle.
 */
const LONG = [
  'test/e2e/docker.spec.ts',
  'test/e2e/docs-cookbook.spec.ts',
  'test/e2e/quickstart.spec.ts',
  'test/e2e/docs-commands.spec.ts',
  'test/e2e/first-run.spec.ts',
  'test/e2e/process.spec.ts',
  'test/e2e/crash.spec.ts',
  'test/e2e/code-samples.spec.ts',
  'test/e2e/traces.spec.ts',
  'test/e2e/load-shedding.spec.ts',
  'test/e2e/hostile-code.spec.ts',
  'test/e2e/graceful-shutdown.spec.ts',
  'test/e2e/client-command.spec.ts',
  'test/e2e/docs-production.spec.ts',
  'test/e2e/admin-which-database.spec.ts',
  'test/e2e/openapi-tools.spec.ts',
  'test/e2e/startup-problems.spec.ts',
  'test/e2e/two-servers.spec.ts',
  'test/e2e/docs-api.spec.ts',
  'test/e2e/hostile-patterns.spec.ts',
];

const placeOf = ({ path }) => LONG.findIndex((name) => path.replaceAll('\\', '/').endsWith(`/${name}`));

/** Starts with the `LONG` files whose durations jest does not know yet. */
class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = (test) => test.duration === undefined && placeOf(test) >= 0;
    const long = sorted.filter(isLong).sort((a, b) => placeOf(a) - placeOf(b));
    return [...long, ...sorted.filter((test) => !isLong(test))];
  }
}

module.exports = Object.assign(LongFirst, { LONG });
