/*
 * The names of visitor attributes in audience conditions, in browsers and on the server. Attributes that the page or
 * the caller sets keep their own names.
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
  cookie: 'cookie',
  javascript: 'javascript',
} as const;

/** The key of a query parameter or cookie. A dot would select a property of an object. */
export const attributeKey = (name: string): string => name.replace(/%/g, '%25').replace(/\./g, '%2E');
