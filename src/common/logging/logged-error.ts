import { types } from 'node:util';

/**
 * What the log contains of an error. Nothing else is copied from errors, because drivers and clients attach statements
 * with their values, parameters, requests and responses.
 */
export interface LoggedError {
  type: string;
  message: string;
  stack: string;
  /** The SQL, with placeholders for its parameters. */
  query?: string;
  aggregateErrors?: LoggedError[];
  [code: string]: unknown;
}

/** Further properties that are logged if they are numbers or strings. */
const CODES = ['code', 'errno', 'syscall'] as const;
const MAX_QUERY_LENGTH = 2_000;
const MAX_DEPTH = 5;

/** Messages of MySQL and MariaDB that quote only names, for example of tables, columns, files, users and hosts. */
const QUOTES_ONLY_NAMES = new Set<unknown>([
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'ER_ACCOUNT_HAS_BEEN_LOCKED',
  'ER_BAD_DB_ERROR',
  'ER_BAD_FIELD_ERROR',
  'ER_BAD_NULL_ERROR',
  'ER_BAD_TABLE_ERROR',
  'ER_CANT_DROP_FIELD_OR_KEY',
  'ER_CHECK_CONSTRAINT_VIOLATED',
  'ER_DATA_TOO_LONG',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_ERROR_ON_WRITE',
  'ER_HOST_IS_BLOCKED',
  'ER_HOST_NOT_PRIVILEGED',
  'ER_NET_PACKET_TOO_LARGE',
  'ER_NO_DEFAULT_FOR_FIELD',
  'ER_NO_SUCH_TABLE',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_RECORD_FILE_FULL',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_TABLE_EXISTS_ERROR',
  'ER_USER_LIMIT_REACHED',
  'ER_WARN_DATA_OUT_OF_RANGE',
  'WARN_DATA_TRUNCATED',
]);

/** Classes of errors whose messages can quote values, besides the errors of database drivers. */
const QUOTING_TYPES = new Set(['ClickHouseError', 'SyntaxError']);

/**
 * Everything between the first quote of a message and the last one, of either kind, because values are quoted without
 * being escaped. The name of a unique key or a column after the value is kept.
 */
const QUOTED = /['"].*['"](?= for (?:key|column) '[\w.]+'(?: at row \d+)?$)|['"].*['"]/s;
const FRAME = /^ {4}at /;

type Properties = Readonly<Record<string, unknown>>;

export const isError = (value: unknown): value is Error =>
  value instanceof Error || types.isNativeError(value);

/** The message of an error, without values from the database or from parsed text. */
export function errorMessage(error: unknown): string {
  return isError(error) ? ownMessage(error) : String(error);
}

/** The error as it is logged, with the messages and stacks of its causes. */
export function loggedError(error: Error): LoggedError {
  const chain = causesOf(error);
  const { query, errors } = error as unknown as Properties;
  const codes = CODES.map((name) => [name, (error as unknown as Properties)[name]] as const);
  return {
    type: typeOf(error),
    message: chain.map(ownMessage).join(': '),
    stack: chain.map(stackOf).join('\ncaused by: '),
    ...Object.fromEntries(codes.filter(([, code]) => ['string', 'number'].includes(typeof code))),
    ...(typeof query === 'string' && { query: query.slice(0, MAX_QUERY_LENGTH) }),
    ...(Array.isArray(errors) && { aggregateErrors: errors.filter(isError).map(loggedError) }),
  };
}

/** A copy of a log entry in which all errors, at any depth, are logged errors. */
export function withLoggedErrors(value: unknown, depth = 0): unknown {
  // Most values are primitive, and a line is logged for each request.
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (isError(value)) {
    return loggedError(value);
  }
  if ('toJSON' in value) {
    return value;
  }
  if (depth === MAX_DEPTH) {
    return '[nested]';
  }
  return Array.isArray(value)
    ? value.map((each) => withLoggedErrors(each, depth + 1))
    : Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, withLoggedErrors(each, depth + 1)]),
      );
}

/** The error and its causes. */
function causesOf(error: Error): Error[] {
  const chain = [error];
  for (let { cause } = error; isError(cause) && !chain.includes(cause); { cause } = cause) {
    chain.push(cause);
  }
  return chain;
}

const typeOf = (error: Error): string => error.constructor.name || error.name;

function ownMessage(error: Error): string {
  const { errors } = error as unknown as Properties;
  if (error.message === '' && Array.isArray(errors)) {
    // For example, a host that refuses connections to its IPv4 address and to its IPv6 address.
    return errors.filter(isError).map(ownMessage).join(', ');
  }
  return canQuoteValues(error) ? error.message.replace(QUOTED, "'[hidden]'") : error.message;
}

function canQuoteValues(error: Error): boolean {
  const { code, sqlState, driverError } = error as unknown as Properties;
  const isFromDriver =
    sqlState !== undefined || driverError !== undefined || /^(ER|SQLITE)_/.test(String(code));
  return (isFromDriver && !QUOTES_ONLY_NAMES.has(code)) || QUOTING_TYPES.has(typeOf(error));
}

/** The stack without the text that precedes the frames, because it repeats the message or quotes code. */
function stackOf(error: Error): string {
  const { stack = '', message } = error;
  const afterMessage = stack.slice(stack.indexOf(message) + message.length);
  const frames = (stack.includes(message) ? afterMessage : stack)
    .split('\n')
    .filter((line) => FRAME.test(line));
  return [`${typeOf(error)}: ${ownMessage(error)}`, ...frames].join('\n');
}
