const PIECE_BYTES = 2 * 1024 * 1024;

/** Splits bytes into pieces that fit into a statement: MySQL allows 16 MiB and writes a byte as two digits. */
export function piecesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) =>
    bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  );
}
