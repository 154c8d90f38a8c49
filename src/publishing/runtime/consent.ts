import { Command } from './commands';

/** Visitors can refuse for all sites in their browser. Pages cannot override that. */
export const isRefusedByBrowser = (): boolean =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;

/** Whether a command gives or withdraws consent; null for other commands. */
export function consentOf({ eventType }: Command): boolean | null {
  const isAbout = eventType === 'enableTrackingConsent' || eventType === 'disableTrackingConsent';
  return isAbout ? eventType === 'enableTrackingConsent' : null;
}
