import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { type Micros, SECOND_MICROS } from '../common/time/clock';
import type { Webhook } from './webhook.entity';

const KEY_BYTES = 32;

/** A new secret in the Standard Webhooks format. */
export const newSecret = (): string => `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;

export type Secrets = Pick<Webhook, 'secret' | 'previous_secret' | 'previous_secret_until'>;

/**
 * The secrets that sign messages at a given time. The previous secret stays valid for one more day, so that receivers
 * have time to replace it.
 */
const secretsAt = ({ secret, previous_secret, previous_secret_until }: Secrets, now: Micros): string[] =>
  previous_secret !== null && (previous_secret_until ?? 0) > now ? [secret, previous_secret] : [secret];

/** The Standard Webhooks headers for a message that is sent now. */
export function signatureHeaders(
  secrets: Secrets,
  messageId: string,
  body: string,
  now: Micros,
): Record<string, string> {
  const seconds = Math.floor(now / SECOND_MICROS);
  const at = new Date(seconds * 1_000);
  const signatures = secretsAt(secrets, now).map((secret) => new Signer(secret).sign(messageId, at, body));
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
