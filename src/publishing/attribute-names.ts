/*
 * The names of visitor attributes in audience conditions, which are the same in browsers and on the server. Attributes
 * set by the page or the caller keep their own names. `cookie` and `javascript` are the snippet's own: they contain a
 * NUL, which the name of an attribute in a condition cannot contain.
 */

export const ATTRIBUTES = {
  device: 'deviceType',
  browser: 'browser',
  os: 'os',
  language: 'language',
  visitor: 'visitor',
  url: 'url',
  referrer: 'referrer',
  country: 'country',
  query: 'query',
  cookie: '\0cookie',
  javascript: '\0javascript',
} as const;

/** The key of a query parameter or cookie. Dots are escaped, because a dot in a path selects an object property. */
export const attributeKey = (name: string): string => name.replace(/%/g, '%25').replace(/\./g, '%2E');
