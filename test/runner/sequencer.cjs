'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Short files that run long, the longest first. jest begins with the files that took longest when they ran before, but
 * in a fresh clone with the largest, so that these would come last, beside workers that have nothing to do.
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

/** Begins with files that are known to run long, unless jest knows how long they ran. */
class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = (test) => test.duration === undefined && placeOf(test) >= 0;
    const long = sorted.filter(isLong).sort((a, b) => placeOf(a) - placeOf(b));
    return [...long, ...sorted.filter((test) => !isLong(test))];
  }
}

module.exports = Object.assign(LongFirst, { LONG });
