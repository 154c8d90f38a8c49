/** A file cannot be imported (completely). The message is meant for the user. */
export class ImportRefusedError extends Error {}

/** The message of an error, in one line. */
export function reasonOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? (message.split('\n')[0] ?? '') : String(error);
}
