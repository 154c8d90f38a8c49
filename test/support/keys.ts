import { randomUUID } from 'node:crypto';
import type { Answer } from './client';

/** A header with a new idempotency key. */
export const newKey = (): { 'idempotency-key': string } => ({ 'idempotency-key': randomUUID() });

/** The parts of a response that stay the same when the response is replayed. */
export const told = ({ status, text, headers }: Answer): unknown[] => [
  status,
  text,
  headers['content-type'],
  headers.etag,
  headers.location,
];

export const isReplayed = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';
