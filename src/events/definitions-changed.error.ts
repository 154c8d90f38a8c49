import { InternallyUnavailableError } from '../common/errors/api-errors';

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;

/**
 * What messages were resolved with changed before they were stored: a project, or the ids or the deletion of a visitor.
 * Nothing was stored. They are resolved again; the client hears of it only if that fails as well.
 */
export class DefinitionsChangedError extends InternallyUnavailableError {
  constructor() {
    super(RETRY_SECONDS, 'The project or its visitors changed again and again while events were stored');
  }
}

/**
 * Resolves and stores messages, again if something changed in the meantime.
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
