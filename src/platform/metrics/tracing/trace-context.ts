import { randomBytes } from 'node:crypto';

/** The position of a request in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** The span of the request: 16 hex digits. */
  spanId: string;
  /** The caller's span; null if the trace begins here. */
  parentId: string | null;
  /** Whether the trace is recorded. The caller decides this; a trace that begins here is always recorded. */
  isSampled: boolean;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const SAMPLED = 1;

const idOf = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Continues the trace in a `traceparent` header. A missing or invalid header begins a new trace. */
export function traceOf(header: string | string[] | undefined): TraceContext {
  const [, traceId, parentId, flags = ''] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId === undefined || parentId === undefined
    ? { traceId: idOf(16), spanId: idOf(8), parentId: null, isSampled: true }
    : { traceId, spanId: idOf(8), parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** A new child span in the same trace. */
export const childOf = ({ traceId, spanId, isSampled }: TraceContext): TraceContext => ({
  traceId,
  spanId: idOf(8),
  parentId: spanId,
  isSampled,
});

/** The value of the header `traceresponse`. */
export const traceResponse = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
