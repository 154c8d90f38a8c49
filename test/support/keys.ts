import { randomUUID } from 'node:crypto';
import type { Answer } from './client';

/** The header with a key that nobody has sent before. */
export const newKey = (): { 'idempotency-key': string } => ({ 'idempotency-key': randomUUID() });

/** The parts of a response that are the same when it is repeated. */
export const told = ({ status, text, headers }: Answer): unknown[] => [
  status,
  text,
  headers['content-type'],
  headers.etag,
  headers.location,
];

export const isReplayed = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';
