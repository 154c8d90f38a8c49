import { AuditEntry } from './audit/audit-entry.entity';
import { EntryCell, ResultCell } from './events/cell.entities';
import {
  CollectedGoal,
  DirtyVisitor,
  PendingPurge,
  SnippetErrorCount,
  StoredEvent,
  DeletedVisitor,
  EventImport,
  LinkCount,
  LinkedVisitor,
  EventRetention,
} from './events/event.entities';
import { EventBatch, EventLogMark, PendingRemoval } from './events/clickhouse/event-batch.entity';
import { ExcludedVisitor, VisitorExclusion } from './events/exclusions/visitor-exclusion.entity';
import { ExperimentResult } from './events/experiment-result.entity';
import { EventGate, EventMove } from './events/move/event-move.entity';
import {
  ExperimentAudience,
  ExperimentEnvironment,
  ExperimentGoal,
  ExperimentPage,
  ExclusionRange,
} from './experiments/attachment.entities';
import {
  Experiment,
  ExperimentPhase,
  ExperimentPlanRow,
  ExperimentRun,
} from './experiments/experiment.entity';
import { CollectionVersion, Project, ProjectVersions } from './projects/project.entity';
import { ProjectSettings } from './projects/settings/project-settings.entity';
import { Publication, PublicationPart } from './publishing/publication.entity';
import { RESOURCES } from './resources/registry';
import { ToldResult } from './results/watch/told-result.entity';
import { IdempotencyBody, IdempotencyKey } from './platform/idempotency/idempotency-key.entity';
import { Membership, Team } from './teams/team.entity';
import { ApiToken } from './users/tokens/api-token.entity';
import { Identity, Invitation, Session, User } from './users/user.entities';
import { Variation } from './experiments/variations/variation.entity';
import { Webhook, WebhookDelivery } from './webhooks/webhook.entity';

/** All entities of the application. */
export const entities = [
  User,
  Session,
  Invitation,
  Identity,
  Team,
  Membership,
  ApiToken,
  AuditEntry,
  Project,
  ProjectVersions,
  CollectionVersion,
  ProjectSettings,
  ...RESOURCES.map(({ entity }) => entity),
  Experiment,
  ExperimentPhase,
  ExperimentPlanRow,
  ExperimentRun,
  ExclusionRange,
  ExperimentAudience,
  ExperimentPage,
  ExperimentGoal,
  ExperimentEnvironment,
  Variation,
  StoredEvent,
  DirtyVisitor,
  LinkedVisitor,
  LinkCount,
  PendingPurge,
  EventBatch,
  EventLogMark,
  EventGate,
  EventMove,
  PendingRemoval,
  CollectedGoal,
  ExperimentResult,
  ResultCell,
  EntryCell,
  EventImport,
  VisitorExclusion,
  ExcludedVisitor,
  DeletedVisitor,
  EventRetention,
  Publication,
  PublicationPart,
  IdempotencyKey,
  IdempotencyBody,
  Webhook,
  WebhookDelivery,
  ToldResult,
  SnippetErrorCount,
];
