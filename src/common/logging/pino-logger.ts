import type { LoggerService } from '@nestjs/common';
import { Logger, type LoggerOptions, pino } from 'pino';
import type { LogLevel } from '../../config/config';
import { isError, withLoggedErrors } from './logged-error';

/** Paths of the secrets that are redacted in log entries. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'token',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.token',
];

/** The options of every log. Errors are logged without the values that they carry. */
export const logOptions = (level: LogLevel): LoggerOptions => ({
  level,
  base: undefined,
  redact: { paths: SECRETS, censor: '[hidden]' },
  // Also for errors in the bindings of child loggers. Pino's own serializer would copy all properties.
  serializers: { err: (logged: unknown) => withLoggedErrors(logged) },
  hooks: {
    logMethod([first, ...rest]: [unknown, ...unknown[]], method) {
      const entry = isError(first) ? { err: first } : first;
      method.apply(
        this,
        [entry, ...rest].map((value) => withLoggedErrors(value)) as Parameters<typeof method>,
      );
    },
  },
});

/** Creates a logger that writes JSON lines, or readable lines on a terminal. */
export function createLogger(level: LogLevel): Logger {
  const options = logOptions(level);
  const { stdout } = process;
  return stdout.isTTY
    ? pino(options, { write: (line: string) => void stdout.write(readableLine(line)) })
    : pino(options, losingStream());
}

/** Maximum total size of the lines that wait in memory to be written. Beyond it, further lines are lost. */
const MAX_UNWRITTEN_BYTES = 1_048_576;

/**
 * Standard output that drops lines if it cannot write them, for example because the disk is full, so the server
 * continues without its log. After a fatal line, Pino would flush its own stream, which never completes on a full disk.
 */
function losingStream(): { write(line: string): void } {
  const stream = pino.destination({ fd: process.stdout.fd, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  stream.on('error', () => undefined);
  return { write: (line) => void stream.write(line) };
}

/** The framework's startup messages are logged as debug messages, because they are useful only to developers. */
const FRAMEWORK = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** Structured logging for the framework and for services that use Nest's `Logger`. */
export class PinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(FRAMEWORK.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /**
   * Nest passes the context as the last argument. For errors, the argument before it is a stack, which is often
   * undefined. The stack of an error is logged with the error.
   */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    given: unknown[],
  ): void {
    const rest = isError(message) ? given.filter((value) => value !== message.stack) : given;
    const context = rest.at(-1);
    const others = rest.slice(0, -1).filter((value) => value !== undefined);
    const details = { context, ...(others.length > 0 && { details: others }) };
    if (typeof message === 'object' && message !== null) {
      this.logger[level]({ ...details, ...(isError(message) ? { err: message } : message) });
    } else {
      this.logger[level](details, String(message));
    }
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** Control characters and bidirectional marks, which could control a terminal. */
const STEERING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const LEVEL_WIDTH = 5;
const TIME_LENGTH = 'hh:mm:ss'.length;
const REQUEST_PARTS = ['method', 'url', 'status', 'milliseconds'];
/** Fields that are not shown as `name=value`. */
const APART = ['level', 'time', 'msg', 'context', 'err'];

const printable = (text: string): string => text.replace(STEERING, '\ufffd');

/** Formats a JSON log line for people: time, level, message, and all other values as `name=value`. */
export function readableLine(line: string): string {
  const entry = JSON.parse(line) as Entry;
  const { level, time, context } = entry;
  const label = (pino.levels.labels[Number(level)] ?? '').padEnd(LEVEL_WIDTH);
  const clock = new Date(Number(time)).toTimeString().slice(0, TIME_LENGTH);
  const source = typeof context === 'string' ? `[${context}] ` : '';
  const { message, parts } = isRequest(entry)
    ? { message: requestText(entry), parts: REQUEST_PARTS }
    : { message: typeof entry.msg === 'string' ? entry.msg : '', parts: [] };
  const values = Object.entries(entry)
    .filter(([name]) => ![...APART, ...parts].includes(name))
    .map(([name, value]) => `${name}=${valueText(value)}`);
  const first = [`${clock} ${label} ${source}${message}`, ...values].join(' ');
  return `${[first, ...stackOf(entry)].map(printable).join('\n')}\n`;
}

/** Whether an entry belongs to the access log. */
const isRequest = ({ msg, method, url, status }: Entry): boolean =>
  msg === 'request' && [method, url, status].every((part) => part !== undefined);

const requestText = ({ method, url, status, milliseconds }: Entry): string =>
  `${String(method)} ${String(url)} ${String(status)} in ${String(milliseconds)} ms`;

const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);

/** The lines of an error's stack. */
function stackOf({ err }: Entry): string[] {
  const { stack = '' } = (err ?? {}) as { stack?: string };
  return stack === '' ? [] : stack.split('\n');
}
