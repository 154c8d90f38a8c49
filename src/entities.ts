import { AuditEntry } from './audit/audit-entry.entity';
import { Audience } from './audiences/audience.entity';
import { Environment } from './environments/environment.entity';
import { CollectedGoal } from './events/collected-goal.entity';
import { DirtyVisitor } from './events/dirty-visitor.entity';
import { PendingPurge } from './events/event-purge.entity';
import { StoredEvent } from './events/event.entity';
import { EventImport } from './events/import/event-import.entity';
import { ExperimentResult } from './events/experiment-result.entity';
import { ResultCell } from './events/result-cell.entity';
import {
  ExperimentAudience,
  ExperimentEnvironment,
  ExperimentGoal,
  ExperimentPage,
} from './experiments/attachment.entities';
import { ExperimentRun } from './experiments/experiment-run.entity';
import { Experiment } from './experiments/experiment.entity';
import { Goal } from './goals/goal.entity';
import { Page } from './pages/page.entity';
import { ProjectVersions } from './projects/project-versions.entity';
import { Project } from './projects/project.entity';
import { Publication, PublicationPart } from './publishing/publication.entity';
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
  Environment,
  Audience,
  Page,
  Goal,
  Experiment,
  ExperimentRun,
  ExperimentAudience,
  ExperimentPage,
  ExperimentGoal,
  ExperimentEnvironment,
  Variation,
  StoredEvent,
  DirtyVisitor,
  PendingPurge,
  CollectedGoal,
  ExperimentResult,
  ResultCell,
  EventImport,
  Publication,
  PublicationPart,
  IdempotencyKey,
  IdempotencyBody,
];
