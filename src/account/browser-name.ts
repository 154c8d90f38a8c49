import Bowser from 'bowser';

/** The display name of a browser, such as `Firefox on Linux`. @param userAgent null if none is stored */
export function browserName(userAgent: string | null): string {
  // Unknown parts are absent or empty.
  const { browser, os } = Bowser.parse(userAgent || ' ');
  const name = browser.name || 'Unknown browser';
  return browser.name && os.name ? `${name} on ${os.name}` : name;
}
