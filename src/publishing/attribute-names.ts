/*
 * The attributes of a visitor that the conditions of audiences are about, wherever they are decided. What the page or
 * the caller sets goes by the name it was given; the rest by these.
 */

export const ATTRIBUTES = {
  device: 'deviceType',
  browser: 'browser',
  os: 'os',
  language: 'language',
  visitor: 'visitor',
  url: 'url',
  referrer: 'referrer',
  query: 'query',
  cookie: 'cookie',
  javascript: 'javascript',
} as const;

/** The name of a query parameter or cookie as a key; a dot would lead into an object. */
export const attributeKey = (name: string): string => name.replaceAll('%', '%25').replaceAll('.', '%2E');
