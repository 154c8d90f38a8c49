import type { Json } from '../../src/definition/imports/export-values';

/** A draft with two variations in GrowthBook's REST API. @param more further fields @param phase fields of its phase */
export const growthBookExperiment = (more: Json = {}, phase: Json = {}): Json => ({
  id: 'exp_1',
  name: 'Checkout',
  trackingKey: 'checkout',
  status: 'draft',
  variations: [
    { variationId: 'a', key: 'a' },
    { variationId: 'b', key: 'b' },
  ],
  phases: [{ coverage: 1, ...phase }],
  ...more,
});
