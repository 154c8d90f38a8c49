/** The records of the demo that the requests of the reference name, so that their samples work there. */
export const SAMPLE_IDS = {
  /** The editor. */
  user: 2,
  /** Runs, with the flag as its api_name and the variation as its second one. */
  experiment: 1,
  variation: 2,
  flag: 'green-buy-button',
  value: 'green-button',
  revision: 1,
} as const;

/** The visitor of all requests. The demo knows it as soon as one of them has collected an event. */
export const SAMPLE_VISITOR = '018f3f5e-0000-7000-8000-000000000001';
