import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { MemoryWindow, secondsLeft } from '../platform/rate-limit/rate-window';
import { ApiError } from '../common/errors/api-errors';

/** Requests per minute per client address. */
const SHARE_REQUESTS_PER_MINUTE = 3_000;
/** Rendering limit per minute per client address, in the units below. */
export const RENDERING_UNITS_PER_MINUTE = 600;

/** The cost of each kind of rendering. The limit allows 120 pages, or 600 images or JSON responses, per minute. */
export const RENDERING_UNITS = { page: 5, part: 1 } as const;
export type RenderingKind = keyof typeof RENDERING_UNITS;

/**
 * Rate limits for shared results, per client address and process. Cached responses count only as requests; rendering
 * has a separate limit.
 */
@Injectable()
export class ShareLimit {
  private readonly requests = new MemoryWindow();
  private readonly renderings = new MemoryWindow();

  /** @throws ApiError (429) if the limit is exceeded */
  countRequest(address: string): void {
    count(this.requests, address, SHARE_REQUESTS_PER_MINUTE, 1);
  }

  /** @throws ApiError (429) beyond the limit */
  countRendering(address: string, kind: RenderingKind): void {
    count(this.renderings, address, RENDERING_UNITS_PER_MINUTE, RENDERING_UNITS[kind]);
  }
}

/** IPv6 addresses count as their /64 network, because one client controls all addresses in it. */
function count(window: MemoryWindow, address: string, limit: number, units: number): void {
  const hit = window.hit(normalizeIp(address), units);
  if (hit.hits > limit) {
    throw new ApiError('RATE_LIMITED', undefined, {}, { 'retry-after': String(secondsLeft(hit)) });
  }
}
