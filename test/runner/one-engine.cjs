'use strict';

/**
 * Test files that need to run on only one database engine. They test documents, headers, connections, routes, request
 * bodies that are rejected before any database query, limits in memory, and pure functions.
 * `npm run test:mysql` skips them. `src/one-engine.spec.ts` checks that none of them reads a database.
 */
exports.ON_ONE_ENGINE = [
  'test/browser/reference.spec.ts',
  'test/e2e/account-compression.spec.ts',
  'test/e2e/account-cookies.spec.ts',
  'test/e2e/account-not-found.spec.ts',
  'test/e2e/bodies.spec.ts',
  'test/e2e/compression.spec.ts',
  'test/e2e/connections.spec.ts',
  'test/e2e/cors.spec.ts',
  'test/e2e/docker.spec.ts',
  'test/e2e/docs-comparison.spec.ts',
  'test/e2e/docs.spec.ts',
  'test/e2e/generated.spec.ts',
  'test/e2e/load-shedding.spec.ts',
  'test/e2e/loaded-modules.spec.ts',
  'test/e2e/mcp-stdio.spec.ts',
  'test/e2e/openapi-delivery.spec.ts',
  'test/e2e/openapi-quality.spec.ts',
  'test/e2e/openapi-served.spec.ts',
  'test/e2e/openapi-tools.spec.ts',
  'test/e2e/openapi.spec.ts',
  'test/e2e/rate-limit-routes.spec.ts',
  'test/e2e/rate-limit.spec.ts',
  'test/e2e/reference-check.spec.ts',
  'test/e2e/routes.spec.ts',
  'test/e2e/security-headers.spec.ts',
  'test/e2e/undecided-routes.spec.ts',
];
