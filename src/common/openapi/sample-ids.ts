/** Ids and names of demo records, used in the API reference's sample requests so that they work on the demo. */
export const SAMPLE_IDS = {
  /** A user with the editor role. */
  user: 2,
  /** A running experiment. `flag` is its api_name, and `variation` is its second variation. */
  experiment: 1,
  variation: 2,
  flag: 'green-buy-button',
  value: 'green-button',
  revision: 1,
} as const;

/** The visitor in all requests. The demo knows this visitor as soon as one of the requests has collected an event. */
export const SAMPLE_VISITOR = '018f3f5e-0000-7000-8000-000000000001';
