'use strict';

/**
 * What is loaded when it is used first, because most processes never use it: the driver of MySQL, Redis, tools for
 * assistants, parsers of code; in the second line own files that use some of these as soon as they are loaded.
 */
const LOADED_WHEN_USED = [
  ...[
    'mysql2',
    'mysql2/promise',
    'ioredis',
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
    'css-tree',
    'acorn',
  ],
  ...['./server', './bounded-parser', './style-syntax'],
];

/** How swc compiles a TypeScript file, for the build and for the tests. @param tsx does the file have JSX? */
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
