/**
 * How soon new page views show a change, to be used in sentences. Browsers use a cached snippet for 60 seconds, and for
 * another 60 seconds while they request the new one.
 */
export const SOON = 'within two minutes';
