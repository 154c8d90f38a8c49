import { hashToken, isTokenText, newTokenText } from './token-text';

describe('tokens', () => {
  it('have the prefix, 40 random characters and a six-digit checksum', () => {
    const token = newTokenText();
    expect(token).toMatch(/^gos_[0-9A-Za-z]{46}$/);
    expect(isTokenText(token)).toBe(true);
    expect(newTokenText()).not.toBe(token);
  });

  it('contain the CRC-32 of the random part in base 62', () => {
    // CRC-32 of 40 zeros, computed with Python's zlib.crc32(b'0' * 40).
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const expected = [5, 4, 3, 2, 1, 0]
      .map((place) => digits[Math.floor(CRC_OF_ZEROS / 62 ** place) % 62])
      .join('');
    expect(isTokenText(`gos_${'0'.repeat(40)}${expected}`)).toBe(true);
  });

  it('are rejected if any character is changed', () => {
    const token = newTokenText();
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'x' ? 'y' : 'x';
      expect(isTokenText(token.slice(0, index) + other + token.slice(index + 1))).toBe(false);
    }
  });

  it('are stored as SHA-256', () => {
    // FIPS 180-2, appendix B.1
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

const CRC_OF_ZEROS = 2520759182;
