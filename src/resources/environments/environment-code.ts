/** The code of an environment that applies to all pages. */
export const EVERYWHERE = 'return true;';

/** The code that decides where an environment applies. Blank code is stored as sent, and applies to all pages. */
export const effectiveCode = (code: string): string => (code.trim() === '' ? EVERYWHERE : code);
