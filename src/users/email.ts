/**
 * The format of an e-mail address, without white space and control characters, and without the Kelvin sign: its lower
 * case is the letter k, so that an address with it would be the address of another person.
 */
export const EMAIL = /^[^\s\p{C}\u212a@]+@[^\s\p{C}\u212a@]+$/u;

/** In characters of the stored form. */
export const MAX_EMAIL = 255;

/** The stored form: e-mail addresses are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/** Whether the stored form is short enough: a capital letter may become several characters. */
export const isShortEmail = (email: string): boolean => [...normalizeEmail(email)].length <= MAX_EMAIL;

/** The name of a new user who has none: the part before the @. */
export const nameFromEmail = (email: string): string => email.replace(/@.*$/s, '');
