import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { parsePathId } from '../access/scope';
import { Config } from '../config/config';

export const PREVIEW_PARAMETER = 'gosset_preview';

const MAX_KEPT = 10_000;

/** Addresses that show one variation to whoever has them: the experiment's example address and a signed parameter. */
@Injectable()
export class PreviewLinks {
  private readonly kept = new LRUCache<number, string>({ max: MAX_KEPT });

  constructor(private readonly config: Config) {}

  /** Null without an example address. */
  urlFor(exampleUrl: string | null, variationId: number): string | null {
    if (exampleUrl === null) {
      return null;
    }
    const [address = '', ...fragment] = exampleUrl.split('#');
    const separator = address.includes('?') ? '&' : '?';
    const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
    return `${address}${separator}${PREVIEW_PARAMETER}=${this.token(variationId)}${hash}`;
  }

  /** The variation that the token of a link shows; null when the link was not made here. */
  variationOf(token: string): number | null {
    const id = parsePathId(token.split('.')[0] ?? '');
    if (id === null) {
      return null;
    }
    const [given, own] = [token, this.token(id)].map((text) => Buffer.from(text));
    return given.length === own.length && timingSafeEqual(given, own) ? id : null;
  }

  /** `<variation id>.<signature>` */
  private token(variationId: number): string {
    const kept = this.kept.get(variationId);
    if (kept !== undefined) {
      return kept;
    }
    const signature = createHmac('sha256', this.config.sessionSecret ?? '')
      .update(`preview:${variationId}`)
      .digest('base64url');
    const token = `${variationId}.${signature.slice(0, 22)}`;
    this.kept.set(variationId, token);
    return token;
  }
}
