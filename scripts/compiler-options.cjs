'use strict';

/**
 * Modules that are loaded on first use, because most processes never use them: the MySQL driver, Redis, OpenID Connect,
 * MCP, code parsers, webhook signatures. The second line lists our own files that import some of these.
 */
const LOADED_WHEN_USED = [
  ...[
    'mysql2',
    'mysql2/promise',
    'ioredis',
    'rate-limiter-flexible',
    'openid-client',
    'maxmind',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
    'css-tree',
    'acorn',
    'standardwebhooks',
  ],
  ...['./server', './bounded-parser', '../../common/validation/bounded-parser', './style-syntax'],
];

/**
 * Compiler options of swc for a TypeScript file, for the build and for the tests. @param tsx whether the file contains
 * JSX
 */
exports.compilerOptions = (tsx) => ({
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
  module: { type: 'commonjs', lazy: LOADED_WHEN_USED },
  swcrc: false,
});
