import { Logger } from '@nestjs/common';
import pino from 'pino';
import { logOptions, PinoLogger, readableLine } from './pino-logger';

/** The lines that services write with their `Logger`. */
function linesOf(write: (logger: Logger) => void): unknown[] {
  const lines: unknown[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  Logger.overrideLogger(new PinoLogger(pino({ base: null, timestamp: false }, stream)));
  write(new Logger('Service'));
  Logger.overrideLogger(false);
  return lines;
}

it('logs an error without a stack trace like any other message', () => {
  const lines = linesOf((logger) => {
    logger.error('No team');
    logger.warn('Slow');
  });
  expect(lines).toEqual([
    { level: 50, context: 'Service', msg: 'No team' },
    { level: 40, context: 'Service', msg: 'Slow' },
  ]);
});

it('logs the fields that come with the message', () => {
  const lines = linesOf((logger) => logger.error('No team', 'Error: No team\n  at line 1'));
  expect(lines).toEqual([
    { level: 50, context: 'Service', details: ['Error: No team\n  at line 1'], msg: 'No team' },
  ]);
});

it('logs only known properties of errors, also of errors in the bindings of a child logger', () => {
  const lines: string[] = [];
  const error = Object.assign(new Error('It failed'), { code: 'ER_DUP_ENTRY', sql: 'S3CR3T' });
  pino(logOptions('info'), { write: (text) => void lines.push(text) })
    .child({ err: error })
    .info('child');
  expect(lines.map((text) => (JSON.parse(text) as { err: object }).err)).toEqual([
    expect.objectContaining({ message: 'It failed', code: 'ER_DUP_ENTRY' }),
  ]);
  expect(lines.join()).not.toContain('S3CR3T');
});

const TIME = new Date(2026, 10, 22, 9, 5, 7).getTime();
const line = (entry: object): string => readableLine(JSON.stringify({ level: 30, time: TIME, ...entry }));

it('formats a line with the time, the level, the source and the message', () => {
  expect(line({ context: 'ShopListener', msg: 'The demo shop is open' })).toBe(
    '09:05:07 info  [ShopListener] The demo shop is open\n',
  );
});

it('appends additional values to the line, quoted if they contain blanks', () => {
  expect(line({ omitted: 3, reason: 'no answer', host: 'db', msg: 'gone' })).toBe(
    '09:05:07 info  gone omitted=3 reason="no answer" host=db\n',
  );
});

it('formats a request with its id', () => {
  const request = {
    requestId: 'r-1',
    method: 'GET',
    url: '/login',
    status: 200,
    milliseconds: 1.5,
    msg: 'request',
  };
  expect(line(request)).toBe('09:05:07 info  GET /login 200 in 1.5 ms requestId=r-1\n');
});

it('puts the stack trace of an error on separate lines', () => {
  const err = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at here' };
  expect(line({ level: 50, msg: 'It failed', err })).toBe(
    '09:05:07 error It failed\nError: gone\n    at here\n',
  );
});

it('replaces terminal control characters, including those for colours', () => {
  const text = line({ msg: 'a\u001b[31mb\u202e\nc', url: '/\u009b31m' });
  expect(text).toBe('09:05:07 info  a\ufffd[31mb\ufffd\ufffdc url=/\ufffd31m\n');
});
