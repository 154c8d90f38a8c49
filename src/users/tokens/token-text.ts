import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'gos_';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** The CRC-32 checksum as six base 62 digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = (ALPHABET[rest % ALPHABET.length] ?? '') + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** A new token: `gos_`, 40 random base 62 characters, and their checksum, which secret scanners can recognise. */
export function newTokenText(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + random + checksum(random);
}

/** Whether the text has the format of a token. Mistyped tokens are detected without a database lookup. */
export function isTokenText(text: string): boolean {
  const parts = SHAPE.exec(text);
  return parts !== null && checksum(parts[1] ?? '') === parts[2];
}

/** The stored hash of a token: SHA-256 in hexadecimal. */
export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
