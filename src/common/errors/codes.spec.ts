import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TooManyAttemptsError } from '../../platform/rate-limit/rate-window';
import {
  ApiError,
  codeOfStatus,
  MissingAbilityError,
  NotFoundError,
  OverloadedError,
  PreconditionFailedError,
  TooLargeError,
  UnauthenticatedError,
  UnauthorizedRoleError,
  UnavailableError,
  ValidationError,
} from './api-errors';
import { ERROR_CODES, type ErrorCode } from './codes';
import { refusalOf } from './refusal';

const DOCUMENT = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8');

/** The cells of each table row. */
const rows = DOCUMENT.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));

describe('the error catalogue', () => {
  it('is identical to the table in docs/errors.md', () => {
    expect(rows).toEqual(
      Object.entries(ERROR_CODES).map(([code, { status, when, fix }]) => [
        `\`${code}\``,
        String(status),
        when,
        fix,
      ]),
    );
  });

  it.each(Object.entries(ERROR_CODES))(
    '%s has a client or server error status, a cause and a fix',
    (code, kind) => {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(kind.status).toBeGreaterThanOrEqual(400);
      expect([kind.when, kind.fix]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
    },
  );
});

const WINDOW = { resetAt: 0 };

describe('the code of', () => {
  const errors: [ApiError, ErrorCode][] = [
    [new UnauthenticatedError(), 'UNAUTHENTICATED'],
    [new MissingAbilityError('read'), 'ABILITY_MISSING'],
    [new UnauthorizedRoleError('viewer', 'definitions:write'), 'ROLE_INSUFFICIENT'],
    [new NotFoundError(), 'NOT_FOUND'],
    [new PreconditionFailedError(), 'PRECONDITION_FAILED'],
    [new TooLargeError(3), 'TOO_MANY_EVENTS'],
    [new UnavailableError(), 'UNAVAILABLE'],
    [new OverloadedError(), 'OVERLOADED'],
    [new TooManyAttemptsError(1, WINDOW), 'RATE_LIMITED'],
    [new TooManyAttemptsError(1, WINDOW, 'EVENTS_RATE_LIMITED'), 'EVENTS_RATE_LIMITED'],
    [new ValidationError([{ path: 'name', message: 'The name field is required.' }]), 'VALIDATION_FAILED'],
  ];

  it.each(errors)('%s is in the body, after the message', (error, code) => {
    expect(Object.entries(error.body).slice(0, 2)).toEqual([
      ['message', error.message],
      ['code', code],
    ]);
    expect(error.status).toBe(ERROR_CODES[code].status);
  });

  it('several failures is the first code that one of them has', () => {
    const { code } = new ValidationError([
      { path: 'name', message: 'The name field is required.' },
      { path: 'experiments', message: 'The page is used.', code: 'IN_USE' },
      { path: 'planned_end', message: 'The planned_end cannot change.', code: 'PLAN_FIXED' },
    ]);
    expect(code).toBe('IN_USE');
  });

  it.each([
    [400, 'BAD_REQUEST', 'Broken'],
    [404, 'NOT_FOUND', 'Not Found'],
    [413, 'BODY_TOO_LARGE', 'Payload Too Large'],
    [415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported Media Type'],
    [418, 'BAD_REQUEST', 'Broken'],
    [500, 'SERVER_ERROR', 'Server Error'],
    [502, 'SERVER_ERROR', 'Server Error'],
  ])('a framework error with status %d is %s', (status, code, message) => {
    const { body } = refusalOf(Object.assign(new Error('Broken'), { statusCode: status }));
    expect(body).toEqual({ message, code });
    expect(codeOfStatus(status)).toBe(code);
  });
});
