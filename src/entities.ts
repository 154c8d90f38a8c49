import { AuditEntry } from './audit/audit-entry.entity';
import { CollectedGoal } from './events/collected-goal.entity';
import { DirtyVisitor } from './events/dirty-visitor.entity';
import { EntryCell } from './events/entry-cell.entity';
import { PendingPurge } from './events/event-purge.entity';
import { StoredEvent } from './events/event.entity';
import { EventImport } from './events/import/event-import.entity';
import { ExcludedVisitor, VisitorExclusion } from './events/exclusions/visitor-exclusion.entity';
import { ExperimentResult } from './events/experiment-result.entity';
import { LinkCount, LinkedVisitor } from './events/links/linked-visitor.entity';
import { ResultCell } from './events/result-cell.entity';
import {
  ExperimentAudience,
  ExperimentEnvironment,
  ExperimentGoal,
  ExperimentPage,
} from './experiments/attachment.entities';
import { ExperimentPhase } from './experiments/experiment-phase.entity';
import { ExperimentPlanRow } from './experiments/experiment-plan.entity';
import { Experiment, ExperimentRun } from './experiments/experiment.entity';
import { CollectionVersion, ProjectVersions } from './projects/project-versions.entity';
import { Project } from './projects/project.entity';
import { ProjectSettings } from './projects/settings/project-settings.entity';
import { Publication, PublicationPart } from './publishing/publication.entity';
import { RESOURCES } from './resources/registry';
import { IdempotencyBody, IdempotencyKey } from './retries/idempotency-key.entity';
import { Membership } from './teams/membership.entity';
import { Team } from './teams/team.entity';
import { ApiToken } from './tokens/api-token.entity';
import { Session } from './users/session.entity';
import { User } from './users/user.entity';
import { Variation } from './variations/variation.entity';

/** Every entity of the application. */
export const entities = [
  User,
  Session,
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
  CollectedGoal,
  ExperimentResult,
  ResultCell,
  EntryCell,
  EventImport,
  VisitorExclusion,
  ExcludedVisitor,
  Publication,
  PublicationPart,
  IdempotencyKey,
  IdempotencyBody,
];
