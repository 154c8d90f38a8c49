/**
 * The format of an e-mail address. White space and control characters are not allowed, and neither is the Kelvin sign.
 * Its lower-case form is the letter k, so the address would become a different person's address.
 */
export const EMAIL = /^[^\s\p{C}\u212a@]+@[^\s\p{C}\u212a@]+$/u;

/** Maximum length of the stored form, in characters. */
export const MAX_EMAIL = 255;

/** The stored form of an e-mail address. Addresses are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/**
 * Whether the stored form is short enough. It can be longer than the given address, because some capital letters become
 * several characters in lower case.
 */
export const isShortEmail = (email: string): boolean => [...normalizeEmail(email)].length <= MAX_EMAIL;

/** The name of a new user if no name is given: the part of the address before the @. */
export const nameFromEmail = (email: string): string => email.replace(/@.*$/s, '');
