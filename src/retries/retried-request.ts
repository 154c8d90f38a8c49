import type { ResolvedRequest } from '../access/scope-resolver';
import { UnreadableBody } from '../common/http/json-body';
import type { DryRun } from './dry-run';

/** A request as far as its safe repetition is concerned. */
export interface RetriedRequest extends ResolvedRequest {
  /** Absent where nothing can be written. */
  dryRun?: DryRun;
  /** The claim on the key of the request, while its work is under way. */
  claimId?: number;
}

const KEY = 'idempotency-key';
const MAX_KEY = 255;

/** The `Idempotency-Key` of a request whose answer is to be kept; undefined when it sends none, or none that counts. */
export function keyOf({ method, headers, actor, dryRun, body }: RetriedRequest): string | undefined {
  const counts = method === 'POST' && actor !== undefined && dryRun !== 'yes';
  return counts && !(body instanceof UnreadableBody) ? headers[KEY]?.toString() : undefined;
}

/** Has the key a length that it may have? */
export const isKey = (key: string): boolean => key.length > 0 && [...key].length <= MAX_KEY;
