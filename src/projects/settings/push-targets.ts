/**
 * The page globals through which the snippet can announce exposures: Google Tag Manager, Google Analytics and Segment.
 */
export const PUSH_TARGETS = ['dataLayer', 'gtag', 'analytics'] as const;

export type PushTarget = (typeof PUSH_TARGETS)[number];
