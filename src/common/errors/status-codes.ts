import { ERROR_CODES, type ErrorCode } from './codes';

/** The codes of the OpenFeature Remote Evaluation Protocol, which are also its `errorCode`. */
const OFREP_CODES = [
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'GENERAL',
  'FLAG_NOT_FOUND',
] as const satisfies ErrorCode[];

export type OfrepCode = (typeof OFREP_CODES)[number];

/** The codes of a status outside of OFREP. */
export const codesOf = (status: number): ErrorCode[] =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => ERROR_CODES[code].status === status && !OFREP_CODES.some((other) => other === code),
  );

/** The code of an error of which only the status is known: the first one of the status. */
export const codeOfStatus = (status: number): ErrorCode =>
  codesOf(status)[0] ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR');
