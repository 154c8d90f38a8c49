import { Logger } from '@nestjs/common';
import pino from 'pino';
import { PinoLogger } from './pino-logger';

/** The lines that services write with their `Logger`. */
function linesOf(write: (logger: Logger) => void): unknown[] {
  const lines: unknown[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  Logger.overrideLogger(new PinoLogger(pino({ base: null, timestamp: false }, stream)));
  write(new Logger('Service'));
  Logger.overrideLogger(false);
  return lines;
}

it('logs an error without a stack like any other message', () => {
  const lines = linesOf((logger) => {
    logger.error('No team');
    logger.warn('Slow');
  });
  expect(lines).toEqual([
    { level: 50, context: 'Service', msg: 'No team' },
    { level: 40, context: 'Service', msg: 'Slow' },
  ]);
});

it('logs what comes with the message', () => {
  const lines = linesOf((logger) => logger.error('No team', 'Error: No team\n  at line 1'));
  expect(lines).toEqual([
    { level: 50, context: 'Service', details: ['Error: No team\n  at line 1'], msg: 'No team' },
  ]);
});
