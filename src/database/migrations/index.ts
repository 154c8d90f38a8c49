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
import { Currency1790005100000 } from './1790005100000-currency';
import { ExperimentDecisions1790005200000 } from './1790005200000-experiment-decisions';
import { Sharing1790005200100 } from './1790005200100-sharing';
import { Members1790005300000 } from './1790005300000-members';
import { TokenLimits1790005300100 } from './1790005300100-token-limits';
import { SessionConfirmations1790005300200 } from './1790005300200-session-confirmations';
import { AuditHistory1790005600000 } from './1790005600000-audit-history';
import { ExclusionGroups1790006100000 } from './1790006100000-exclusion-groups';
import { ExclusionRanges1790006100100 } from './1790006100100-exclusion-ranges';
import { PublicationAutomations1790006200000 } from './1790006200000-publication-automations';
import { ExperimentSchedules1790006200100 } from './1790006200100-experiment-schedules';
import { Guardrails1790006300000 } from './1790006300000-guardrails';
import { Webhooks1790006400000 } from './1790006400000-webhooks';
import { WebhookReports1790006400100 } from './1790006400100-webhook-reports';
import { AudienceApiNames1790006500000 } from './1790006500000-audience-api-names';
import { Identities1790006700000 } from './1790006700000-identities';
import { DeletedVisitors1790007000000 } from './1790007000000-deleted-visitors';
import { EventRetention1790007000100 } from './1790007000100-event-retention';
import { EventBatches1790007200000 } from './1790007200000-event-batches';
import { EventRemovals1790007300000 } from './1790007300000-event-removals';
import { EventMoves1790007400000 } from './1790007400000-event-moves';
import { MarkTimes1790007500000 } from './1790007500000-mark-times';
import { ImportedLinks1790007600000 } from './1790007600000-imported-links';
import { CellsNeedPhase1790007700000 } from './1790007700000-cells-need-phase';
import { LateEvents1790007800000 } from './1790007800000-late-events';
import { AuditSearch1790007900000 } from './1790007900000-audit-search';
import { EarlierMarks1790008000000 } from './1790008000000-earlier-marks';
import { SkippedRevisions1790008100000 } from './1790008100000-skipped-revisions';
import { PlannedComparisons1790008200000 } from './1790008200000-planned-comparisons';

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
  Currency1790005100000,
  ExperimentDecisions1790005200000,
  Sharing1790005200100,
  Members1790005300000,
  TokenLimits1790005300100,
  SessionConfirmations1790005300200,
  AuditHistory1790005600000,
  ExclusionGroups1790006100000,
  ExclusionRanges1790006100100,
  PublicationAutomations1790006200000,
  ExperimentSchedules1790006200100,
  Guardrails1790006300000,
  Webhooks1790006400000,
  WebhookReports1790006400100,
  AudienceApiNames1790006500000,
  Identities1790006700000,
  DeletedVisitors1790007000000,
  EventRetention1790007000100,
  EventBatches1790007200000,
  EventRemovals1790007300000,
  EventMoves1790007400000,
  MarkTimes1790007500000,
  ImportedLinks1790007600000,
  CellsNeedPhase1790007700000,
  LateEvents1790007800000,
  AuditSearch1790007900000,
  EarlierMarks1790008000000,
  SkippedRevisions1790008100000,
  PlannedComparisons1790008200000,
];

const [firstOfAll, firstOfRelease] = [People1780000000000, LockVersions1790000100000].map(
  (each) => new each().name,
);

/** Whether a database to which these migrations have been applied belongs to an earlier release. */
export const isOfEarlierRelease = (applied: readonly string[]): boolean =>
  applied.includes(firstOfAll) && !applied.includes(firstOfRelease);
