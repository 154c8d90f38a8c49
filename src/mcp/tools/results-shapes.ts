/* The fields of results for assistants, with explanations. */

const COMPARISON = {
  difference: true,
  interval: true,
  upliftInterval: true,
  pValue: true,
  pValueAdjusted: true,
  sequential: { interval: true, upliftInterval: true, pValue: true },
  bayesian: { chanceToBeatOriginal: true, expectedLoss: true },
} as const;

const FIGURES = {
  id: true,
  name: true,
  isOriginal: true,
  participants: true,
  conversions: true,
  totalConversions: true,
  conversionRate: true,
  totalValue: true,
  valuePerParticipant: true,
  valuePerConversion: true,
  conversionsPerParticipant: true,
  uplift: true,
  confidence: true,
  isConfident: true,
  duration: { daysRunning: true, daysLeft: true, minRuntimeReached: true, minConversionsReached: true },
  statistics: {
    metric: true,
    method: true,
    significance: true,
    verdict: true,
    warnings: true,
    conversion: COMPARISON,
    value: COMPARISON,
    count: COMPARISON,
    planned: { interval: true, upliftInterval: true, lookedOn: true, decidedOn: true, isOver: true },
    minimumDetectableEffect: true,
    ratio: { standardError: true, interval: true, difference: true, pValue: true },
  },
} as const;

/** The fields of an entry of the results. */
export const ENTRY = {
  id: true,
  role: true,
  type: true,
  name: true,
  api_name: true,
  tripped: true,
  variationStatistics: FIGURES,
} as const;
