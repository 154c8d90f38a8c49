import { CommanderError } from 'commander';
import { ApiError } from '../common/errors/api-errors';
import { ConfigError } from '../config/config';
import { isUnavailable, sqliteProblem } from '../database/errors';

/** A rejected command, with the reason to show to the caller. */
export class RefusedError extends Error {}

/** Incorrect usage, such as options that are valid individually but not in combination. */
export class UsageError extends Error {}

/** The error on one line. Driver messages can have several lines or be empty. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message.split('\n')[0]?.trim() || code;
}

function linesOf(error: unknown): string[] {
  if (error instanceof ApiError) {
    const errors = Object.values((error.extra.errors ?? {}) as Record<string, string[]>).flat();
    return errors.length > 0 ? errors : [error.message];
  }
  if (error instanceof RefusedError || error instanceof UsageError || error instanceof ConfigError) {
    return [error.message];
  }
  const problem = sqliteProblem(error);
  if (problem !== null) {
    return [`The database file cannot be used: ${problem}`];
  }
  const what = isUnavailable(error) ? 'The database does not respond' : 'The command failed';
  return [`${what}: ${reasonOf(error)}`];
}

/** Prints an error to standard error and returns the exit code: 1 rejected, 2 wrong usage. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has already printed its message; `--help` is not an error.
    return error.exitCode === 0 ? 0 : 2;
  }
  for (const line of linesOf(error)) {
    console.error(line);
  }
  return error instanceof UsageError ? 2 : 1;
}
