'use strict';

/** Packages that ship ES modules only; jest loads them through the same compiler as our sources. */
const esmPackages = [
  '@nestjs/(common|core|platform-fastify|swagger|terminus|testing|mapped-types)',
  '@observablehq/plot',
  'd3(-[a-z-]+)?',
  'delaunator',
  'internmap',
  'isoformat',
  'preact',
  'robust-predicates',
  'content-disposition',
  'cookie',
  'uuid',
];

const swc = (tsx) => ({
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', tsx, decorators: true, dynamicImport: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic', importSource: 'preact' },
    },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  swcrc: false,
});

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testRegex: '\\.spec\\.tsx?$',
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.(t|j|mj)s$': ['@swc/jest', swc(false)], '^.+\\.tsx$': ['@swc/jest', swc(true)] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Machines are slow at times, and no test is about how long something takes.
  testTimeout: 60_000,
  maxWorkers: 2,
  // What a spec has loaded stays in its worker, which gets slower when there is much to look through.
  workerIdleMemoryLimit: '1500MB',
};
