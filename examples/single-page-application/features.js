// Evaluates feature flags with the GrowthBook SDK, which uses the snippet's visitor id.
import { GrowthBook } from 'https://cdn.jsdelivr.net/npm/@growthbook/growthbook@1.8.0/dist/bundles/esm.min.js';

const GOSSET = 'http://localhost:3000';
const CLIENT_KEY = 'pk_5Yb2kQe7RtUw9ZxC3vBn1mAs';

/**
 * Sends an exposure. `experiment.key` is `exp-<id>`, and `result.key` is the variation id. `experiment.phase` is the phase
 * whose shares the payload contains.
 */
function reportExposure(experiment, result) {
  const message = {
    type: 'track',
    event: 'Experiment Viewed',
    anonymousId: window.gosset.getVisitorId(),
    properties: { experiment_id: experiment.key, variation_id: result.key, phase: experiment.phase },
    context: { userAgent: navigator.userAgent }, // The server does not count bots.
  };
  const body = JSON.stringify({ writeKey: CLIENT_KEY, batch: [message] });
  fetch(`${GOSSET}/v1/batch`, { method: 'POST', keepalive: true, body }).catch(console.error);
}

async function showFeatures() {
  const id = window.gosset.getVisitorId?.() ?? null;
  if (id === null) {
    return; // no consent yet, or the script is blocked
  }
  const growthbook = new GrowthBook({
    apiHost: GOSSET,
    clientKey: CLIENT_KEY,
    attributes: { id },
    trackingCallback: reportExposure,
    disableExperimentsOnLoad: true, // The snippet shows the experiments of pages.
  });
  await growthbook.init({ timeout: 2_000 });
  document.querySelector('#chat').hidden = growthbook.getFeatureValue('chat', 'original') !== 'shown';
}

document.querySelector('#consent').addEventListener('click', showFeatures);
showFeatures(); // for visitors who have consented on an earlier page
