import type { Database } from './database';
import { hasCode } from './errors';

const MEBIBYTE = 1024 * 1024;

/**
 * The longest statement that MySQL and MariaDB must accept. Rows and pieces in row-store.ts are grouped so that their
 * statements are shorter.
 */
const MIN_PACKET_BYTES = 16 * MEBIBYTE;
const REMEDY = `Set max_allowed_packet on the database server to at least ${MIN_PACKET_BYTES / MEBIBYTE}M.`;

/** @returns a sentence that says what to change; null if the database accepts all statements of the server */
export async function packetWarning({ engine, read }: Database): Promise<string | null> {
  if (engine === 'sqlite') {
    return null;
  }
  const [row] = await read.query<{ bytes: number | string }[]>('SELECT @@max_allowed_packet AS bytes');
  return row === undefined || Number(row.bytes) >= MIN_PACKET_BYTES
    ? null
    : `The database server rejects statements longer than ${row.bytes} bytes, so large changes will fail. ${REMEDY}`;
}

/** @returns a message that says what to change; null unless the statement was too long for the database server */
export function packetProblem(error: unknown): string | null {
  return hasCode(error, 'ER_NET_PACKET_TOO_LARGE')
    ? `The change is too large for the settings of the database server. ${REMEDY}`
    : null;
}
