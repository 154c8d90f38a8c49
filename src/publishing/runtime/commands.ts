import { isVisitorId } from '../../events/visitors';
import type { Attributes } from '../evaluation';

/** The commands that pages push to `window.gosset`. */
export type Command =
  | { eventType: 'custom'; eventName: string; eventValue?: number | string }
  | { eventType: 'forceVariation'; experimentId: number | string; variationId: number | string }
  | { eventType: 'setAttributes'; attributes: Attributes }
  | { eventType: 'setVisitorId'; visitorId: string | number }
  | { eventType: 'enableTrackingConsent' }
  | { eventType: 'disableTrackingConsent' };

const MAX_TEXT_LENGTH = 255;

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;
/** Visitor ids may also be whole numbers, because the server accepts them and converts them to text. */
const isVisitor = (value: unknown): boolean =>
  (typeof value === 'string' || Number.isSafeInteger(value)) && isVisitorId(String(value));
const isId = (value: unknown): boolean => /^\d+$/.test(String(value));

const CHECKS = new Map<unknown, (fields: Record<string, unknown>) => boolean>([
  [
    'custom',
    ({ eventName, eventValue }) =>
      isText(eventName) && (eventValue == null || Number.isFinite(eventValue) || isText(eventValue)),
  ],
  ['forceVariation', ({ experimentId, variationId }) => isId(experimentId) && isId(variationId)],
  ['setAttributes', ({ attributes }) => typeof attributes === 'object' && attributes !== null],
  ['setVisitorId', ({ visitorId }) => isVisitor(visitorId)],
  ['enableTrackingConsent', () => true],
  ['disableTrackingConsent', () => true],
]);

/** Whether a pushed value is a valid command. */
export function isCommand(pushed: unknown): pushed is Command {
  const fields = Object(pushed) as Record<string, unknown>;
  return CHECKS.get(fields.eventType)?.(fields) ?? false;
}

/** Whether the visitor's browser refuses tracking on all sites (Global Privacy Control). Pages cannot override this. */
export const isRefusedByBrowser = (): boolean =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;

/** True if a command gives consent, false if it withdraws consent; null for other commands. */
export function consentOf({ eventType }: Command): boolean | null {
  const isAbout = eventType === 'enableTrackingConsent' || eventType === 'disableTrackingConsent';
  return isAbout ? eventType === 'enableTrackingConsent' : null;
}
