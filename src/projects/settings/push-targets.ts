/**
 * Where the snippet can announce exposures on the page: globals of Google Tag Manager, Google Analytics and Segment.
 */
export const PUSH_TARGETS = ['dataLayer', 'gtag', 'analytics'] as const;

export type PushTarget = (typeof PUSH_TARGETS)[number];
