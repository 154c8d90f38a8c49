import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { growingCache } from '../../common/lists/collections';
import { idOf } from '../../common/validation/values';
import { Config } from '../../config/config';
import { PREVIEW_PARAMETER } from './preview-parameter';

const MAX_KEPT = 10_000;

/** The experiment columns on which preview links depend. */
export interface Previewed {
  example_url: string | null;
  /** Version of the preview links. */
  preview_version: number;
}

/** Preview links of variations: the experiment's example URL with a signed parameter. */
@Injectable()
export class PreviewLinks {
  /** The cache key is the signed text. */
  private readonly kept = growingCache<string, string>(MAX_KEPT);

  constructor(private readonly config: Config) {}

  /** The preview link; null without an example URL. */
  urlFor(experiment: Previewed | undefined, variationId: number): string | null {
    if (experiment === undefined || experiment.example_url === null) {
      return null;
    }
    const [address = '', ...fragment] = experiment.example_url.split('#');
    const separator = address.includes('?') ? '&' : '?';
    const hash = fragment.length > 0 ? `#${fragment.join('#')}` : '';
    const token = this.token(variationId, experiment.preview_version);
    return `${address}${separator}${PREVIEW_PARAMETER}=${token}${hash}`;
  }

  /** The variation id in a link's token, before verification; null if there is none. */
  variationNamedBy(token: string): number | null {
    return idOf(token.split('.')[0] ?? '');
  }

  /**
   * Verifies that the token was signed by this installation for this variation and the current version of the links.
   */
  isValid(token: string, variationId: number, version: number): boolean {
    const [given, own] = [token, this.token(variationId, version)].map((text) => Buffer.from(text));
    return given.length === own.length && timingSafeEqual(given, own);
  }

  /** `<variation id>.<signature>`. Links that have never been revoked are the same as in earlier releases. */
  private token(variationId: number, version: number): string {
    const signed = version === 0 ? `preview:${variationId}` : `preview:${variationId}:${version}`;
    const kept = this.kept.get(signed);
    if (kept !== undefined) {
      return kept;
    }
    const signature = createHmac('sha256', this.config.sessionSecret ?? '')
      .update(signed)
      .digest('base64url');
    const token = `${variationId}.${signature.slice(0, 22)}`;
    this.kept.set(signed, token);
    return token;
  }
}
