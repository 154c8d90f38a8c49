/* The names in exposures and payloads, used on servers and in browsers. */

/** Name of the exposure event in Segment's specification of A/B testing events. */
export const EXPOSURE = 'Experiment Viewed';

/** The reported phase of an exposure whose variation was kept from an earlier phase that the client does not know. */
export const UNKNOWN_PHASE = 'unknown';

/**
 * The key of an experiment in payloads and visitor records, which is also its seed. In SDKs, a query parameter with
 * this name forces a variation, so the key is a name that no page uses.
 */
export const experimentKey = (id: number): string => `exp-${String(id)}`;

/** Matches the key of an experiment. The group is its id. */
export const EXPERIMENT_KEY = /^exp-(\d+)$/;
