import { CommanderError } from 'commander';
import { ApiError } from '../common/errors/api-errors';
import { ConfigError } from '../config/config';
import { isUnavailable } from '../database/errors';

/** A command that cannot be carried out, for a reason that its caller can understand. */
export class RefusedError extends Error {}

/** Options that are right one by one, but not together. */
export class UsageError extends Error {}

/** What went wrong in one line: the driver's errors have several, or none at all. */
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
  const what = isUnavailable(error) ? 'The database does not answer' : 'The command failed';
  return [`${what}: ${reasonOf(error)}`];
}

/** Tells on standard error why a command did not succeed, and returns its exit code: 1 refused, 2 wrong usage. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has said already what it has to say; asking for help is no failure.
    return error.exitCode === 0 ? 0 : 2;
  }
  for (const line of linesOf(error)) {
    console.error(line);
  }
  return error instanceof UsageError ? 2 : 1;
}
