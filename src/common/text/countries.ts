/** Maximum length of text that may be a country code, including the white space around it. */
const MAX_TEXT = 20;
const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** CLDR's name for unknown regions. */
const UNKNOWN = 'ZZ';

/**
 * Whether the text is an ISO 3166-1 alpha-2 code in upper case. `UK` is not, because the code of the United Kingdom is
 * `GB`; nor is `XX`, which stands for unknown countries.
 */
export const isCountryCode = (text: string): boolean =>
  /^[A-Z]{2}$/.test(text) &&
  text !== UNKNOWN &&
  NAMES.of(text) !== undefined &&
  new Intl.Locale(`und-${text}`).region === text;

/** The country code in the given text, in upper case; null for any other text, such as Cloudflare's `XX` and `T1`. */
export function countryIn(text: string): string | null {
  const code = text.length > MAX_TEXT ? '' : text.trim().toUpperCase();
  return isCountryCode(code) ? code : null;
}
