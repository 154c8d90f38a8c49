import { createHash } from 'node:crypto';
import { PUBLICATION_PARTS } from './publication.entity';
import type { PublicationParts } from './publication.store';
import type { Revision } from './revision';

/*
 * A revision as a file: a line with the checksum of the rest, a line of JSON with the sizes of the parts, the parts.
 */

const FORMAT = 'gosset-revision-1';
const LINE_END = 0x0a;

type Facts = Omit<Revision, 'parts'> & { sizes: number[] };

const checksum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function encodeRevision({ parts, ...facts }: Revision): Buffer {
  const sizes = PUBLICATION_PARTS.map((name) => parts[name].length);
  const line = Buffer.from(`${JSON.stringify({ ...facts, sizes })}\n`);
  const rest = Buffer.concat([line, ...PUBLICATION_PARTS.map((name) => parts[name])]);
  return Buffer.concat([Buffer.from(`${FORMAT} ${checksum(rest)}\n`), rest]);
}

/** @returns null if the checksum does not match */
export function decodeRevision(bytes: Buffer): Revision | null {
  const [head, rest] = cutLine(bytes);
  if (head !== `${FORMAT} ${checksum(rest)}`) {
    return null;
  }
  const [line, body] = cutLine(rest);
  const { sizes, ...facts } = JSON.parse(line) as Facts;
  const parts: Partial<PublicationParts> = {};
  let start = 0;
  for (const [index, name] of PUBLICATION_PARTS.entries()) {
    parts[name] = body.subarray(start, (start += sizes[index]));
  }
  return { ...facts, parts: parts as PublicationParts };
}

function cutLine(bytes: Buffer): [line: string, rest: Buffer] {
  const end = bytes.indexOf(LINE_END);
  return end < 0 ? ['', bytes] : [bytes.subarray(0, end).toString(), bytes.subarray(end + 1)];
}
