import { pino } from 'pino';

type Entry = Readonly<Record<string, unknown>>;

/** Control characters and bidirectional marks, which would steer a terminal. */
const STEERING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const LEVEL_WIDTH = 5;
const TIME_LENGTH = 'hh:mm:ss'.length;
const REQUEST_PARTS = ['method', 'url', 'status', 'milliseconds'];
/** Fields that are not shown as `name=value`. */
const APART = ['level', 'time', 'msg', 'context', 'err'];

const printable = (text: string): string => text.replace(STEERING, '\ufffd');

/** Formats a JSON line of the log for people: time, level, message, and further values as `name=value`. */
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

/** An entry of the access log. */
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
