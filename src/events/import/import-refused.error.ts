/** A file that cannot be imported, or not to its end, for a reason that its owner can understand. */
export class ImportRefusedError extends Error {}

/** What an error says, in one line. */
export function reasonOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? (message.split('\n')[0] ?? '') : String(error);
}
