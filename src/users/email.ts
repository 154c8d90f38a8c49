/** The format of an e-mail address, without white space and control characters. */
export const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** E-mail addresses are compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();
