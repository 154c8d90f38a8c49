import { Command } from './commands';

/** A visitor's browser may refuse for all sites; nothing a page says counts against it. */
export const isRefusedByBrowser = (): boolean =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;

/** The consent that a command gives or takes back; null for other commands. */
export function consentOf({ eventType }: Command): boolean | null {
  const isAbout = eventType === 'enableTrackingConsent' || eventType === 'disableTrackingConsent';
  return isAbout ? eventType === 'enableTrackingConsent' : null;
}
