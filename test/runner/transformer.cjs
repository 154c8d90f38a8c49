'use strict';

const { createTransformer } = require('@swc/jest');

/**
 * Compiles like `@swc/jest`, and caches the output for both engines and all suites. Their jest settings differ, and are
 * part of the cache key by default, but only select test files.
 */
exports.createTransformer = (options) => {
  const transformer = createTransformer(options);
  const getCacheKey = (source, filename, rest) =>
    transformer.getCacheKey(source, filename, { ...rest, configString: '' });
  return { ...transformer, getCacheKey };
};
