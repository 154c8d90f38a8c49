/** The time and the number of the last id. */
let [time, count] = [0, 0];
const MOST = 0xfff;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * A UUID, version 7. Sorted as strings, the ids of a page are in order of creation, even if the system clock is set back.
 * The `uuid` package would add 400 bytes to the bundle.
 */
export function newId(): string {
  const now = Date.now();
  if (now > time) {
    [time, count] = [now, 0];
  } else if (++count > MOST) {
    [time, count] = [time + 1, 0];
  }
  const [variant, ...random] = crypto.getRandomValues(new Uint8Array(8));
  const digits = [(variant & 0x3f) | 0x80, ...random].map((byte) => hex(byte, 2)).join('');
  return [hex(time, 12), `7${hex(count, 3)}`, digits]
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
