import { MAX_ID } from './checks';

const ID = /^[1-9]\d{0,9}$/;

/** An id given as a number or a text; null if no record can have it. */
export function idOf(given: unknown): number | null {
  const isId = typeof given === 'number' || typeof given === 'string' ? ID.test(String(given)) : false;
  return isId && Number(given) <= MAX_ID ? Number(given) : null;
}
