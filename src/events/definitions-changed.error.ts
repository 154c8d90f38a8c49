import { InternallyUnavailableError } from '../common/errors/api-errors';

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;

/**
 * The data with which messages were resolved changed before the messages were stored: a project changed, or a visitor
 * was linked or deleted. Nothing was stored. The messages are resolved again; the client gets an error only if this
 * keeps happening.
 */
export class DefinitionsChangedError extends InternallyUnavailableError {
  constructor() {
    super(RETRY_SECONDS, 'The project or its visitors kept changing while events were being stored');
  }
}

/**
 * Resolves and stores messages, and retries if the data with which they were resolved changed in the meantime.
 * @param attempt resolves and stores all messages, or stores nothing
 * @throws DefinitionsChangedError (503) if this data changed during every attempt
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
