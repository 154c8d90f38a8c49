import { People1780000000000 } from './1780000000000-people';
import { Definitions1780000100000 } from './1780000100000-definitions';
import { Experiments1780000200000 } from './1780000200000-experiments';
import { Events1780000300000 } from './1780000300000-events';
import { Imports1780000400000 } from './1780000400000-imports';
import { Publications1780000500000 } from './1780000500000-publications';
import { Idempotency1780000600000 } from './1780000600000-idempotency';
import { Sessions1780000700000 } from './1780000700000-sessions';
import { LockVersions1790000100000 } from './1790000100000-lock-versions';
import { PreviewVersions1790000400000 } from './1790000400000-preview-versions';
import { IdempotencyLeases1790000500000 } from './1790000500000-idempotency-leases';
import { CollectionLimits1790000600000 } from './1790000600000-collection-limits';
import { VisitorExclusions1790000600100 } from './1790000600100-visitor-exclusions';
import { CollectionVersions1790001000000 } from './1790001000000-collection-versions';
import { NoVersionColumns1790001000100 } from './1790001000100-no-version-columns';
import { SessionUserAgents1790001100000 } from './1790001100000-session-user-agents';
import { EntryCells1790001200000 } from './1790001200000-entry-cells';
import { CountingRules1790002000000 } from './1790002000000-counting-rules';
import { Phases1790002100000 } from './1790002100000-phases';
import { ConversionWindows1790003000000 } from './1790003000000-conversion-windows';
import { ValueCaps1790003000100 } from './1790003000100-value-caps';
import { EveryConversion1790003000200 } from './1790003000200-every-conversion';
import { ExperimentPlans1790003100000 } from './1790003100000-experiment-plans';
import { UpliftPrior1790003100100 } from './1790003100100-uplift-prior';
import { TrafficHash1790003300000 } from './1790003300000-traffic-hash';
import { LinkedVisitors1790004000000 } from './1790004000000-linked-visitors';
import { PushTo1790004100000 } from './1790004100000-push-to';

/** All migrations, oldest first. */
export const migrations = [
  People1780000000000,
  Definitions1780000100000,
  Experiments1780000200000,
  Events1780000300000,
  Imports1780000400000,
  Publications1780000500000,
  Idempotency1780000600000,
  Sessions1780000700000,
  LockVersions1790000100000,
  PreviewVersions1790000400000,
  IdempotencyLeases1790000500000,
  CollectionLimits1790000600000,
  VisitorExclusions1790000600100,
  CollectionVersions1790001000000,
  NoVersionColumns1790001000100,
  SessionUserAgents1790001100000,
  EntryCells1790001200000,
  CountingRules1790002000000,
  Phases1790002100000,
  ConversionWindows1790003000000,
  ValueCaps1790003000100,
  EveryConversion1790003000200,
  ExperimentPlans1790003100000,
  UpliftPrior1790003100100,
  TrafficHash1790003300000,
  LinkedVisitors1790004000000,
  PushTo1790004100000,
];

const [firstOfAll, firstOfRelease] = [People1780000000000, LockVersions1790000100000].map(
  (each) => new each().name,
);

/** Was a database with these migrations made by an earlier release? */
export const isOfEarlierRelease = (applied: readonly string[]): boolean =>
  applied.includes(firstOfAll) && !applied.includes(firstOfRelease);

/** Did these migrations, which ran together, bring a database of an earlier release to this one? */
export const isUpgrade = (ran: readonly string[]): boolean =>
  ran.includes(firstOfRelease) && !ran.includes(firstOfAll);
