'use strict';

const { createTransformer } = require('@swc/jest');

/**
 * Compiles as `@swc/jest` does, and keeps the result for runs on both engines and of all suites. They have other settings
 * of jest, which by default are part of the key, but only choose test files.
 */
exports.createTransformer = (options) => {
  const transformer = createTransformer(options);
  const getCacheKey = (source, filename, rest) =>
    transformer.getCacheKey(source, filename, { ...rest, configString: '' });
  return { ...transformer, getCacheKey };
};
