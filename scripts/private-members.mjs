import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DECLARATION = /\bprivate (?:(?:readonly|static|async|get|set) )*(\w+)/g;

/**
 * Long names of other members that only the runtime uses. Pages, the configuration, messages and browsers must not have
 * a property with such a name.
 */
const INTERNAL = [
  ...['attributesChanged', 'exposuresAcknowledged', 'hasChanged', 'isAsking', 'isAwaited'],
  ...['clearedAt', 'isEvaluating', 'isExposed', 'isForgotten', 'isPending', 'isRemembered', 'isReplaced'],
  ...['isShared', 'isUnknown', 'isWaitingForCountry', 'onForgotten', 'readAgent', 'retryNow'],
  ...['routeChanged', 'sendNow', 'sendSoon', 'setLeft', 'showPage', 'pageView'],
];

/** The same for members of the SDK's evaluator. Rules in the configuration must not have a property with such a name. */
const INTERNAL_TO_EVALUATOR = [
  ...['banditVersion', 'contextualBandit', 'contextualBanditRef', 'contextualBandits'],
  ...['contextualVariations', 'devLogs', 'disableStickyBucketing', 'enableDevMode', 'eventLogger'],
  ...['expBucketVersion', 'expFallbackAttribute', 'expHashAttribute', 'expMinBucketVersion'],
  ...['experimentViewedSubs', 'forcedFeatureValues', 'forcedVariations', 'onExperimentEval'],
  ...['onFeatureUsage', 'recordChangeId', 'saveDeferredTrack', 'saveStickyBucketAssignmentDoc'],
  ...['stickyBucketAssignmentDocs', 'stickyBucketUsed', 'trackedExperiments', 'trackedFeatureUsage'],
  ...['trackingCallback', 'variationWeights'],
];

/**
 * The names of class members that a bundler can shorten: the internal ones, and those of private members in the folder
 * that a bundle contains only as `this.name`, or where a method begins. It cannot shorten a name that is also, for
 * instance, a field of a response.
 * @param bundled the minified code of the bundle, in which variables have other names
 */
export function privateMembers(folder, bundled) {
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const declared = sources.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(DECLARATION)].map(([, name]) => name),
  );
  const isOnlyMember = (name) => {
    const asMember = new RegExp(
      `\\bthis\\.${name}\\b|(?<=[{};]|\\b(?:static|async|get|set) )${name}(?=\\()`,
      'g',
    );
    return !new RegExp(`\\b${name}\\b`).test(bundled.replace(asMember, ''));
  };
  return [...new Set([...declared.filter(isOnlyMember), ...INTERNAL, ...INTERNAL_TO_EVALUATOR])];
}
