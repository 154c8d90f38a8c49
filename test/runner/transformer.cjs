'use strict';

const { createTransformer } = require('@swc/jest');

/**
 * Compiles like `@swc/jest`, but shares the cached output between both engines and all suites. By default, the cache
 * key includes the jest settings. Here the key omits them, because they differ only in the test files that they select.
 */
exports.createTransformer = (options) => {
  const transformer = createTransformer(options);
  const getCacheKey = (source, filename, rest) =>
    transformer.getCacheKey(source, filename, { ...rest, configString: '' });
  return { ...transformer, getCacheKey };
};
