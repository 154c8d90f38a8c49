import { InternallyUnavailableError } from '../common/errors/api-errors';

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;

/**
 * The data with which messages were resolved changed before they were stored: a project, or a visitor's ids or
 * deletion. Nothing was stored. They are resolved again; the client is told only if that also fails.
 */
export class DefinitionsChangedError extends InternallyUnavailableError {
  constructor() {
    super(RETRY_SECONDS, 'The project or its visitors kept changing while events were being stored');
  }
}

/**
 * Resolves and stores messages, and retries if something changed in the meantime.
 * @param attempt resolves and stores all of them, or stores nothing
 * @throws DefinitionsChangedError (503) if something changed during each of several attempts
 */
export async function untilUnchanged<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DefinitionsChangedError) || left === 1) {
        throw error;
      }
    }
  }
}
