import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { Output } from '../../common/validation/fields';
import { CreatedAt, Id, UpdatedAt } from '../../common/validation/record-fields';
import { Project, STATISTICS_CORRECTIONS, STATISTICS_METHODS } from '../project.entity';
import type { ProjectSettings } from './project-settings.entity';
import { PUSH_TARGETS, PushTarget } from './push-targets';

/* Descriptions of settings that requests and responses share. */
export const METHOD = 'Statistical method that decides when a result is conclusive.';
export const CORRECTION =
  'Correction for multiple comparisons in one experiment: `none`, `holm` (controls the chance of any false winner) or `benjamini-hochberg` (controls the share of false winners).';
export const UPLIFT_PRIOR =
  'Standard deviation of a normal prior on the uplift with mean 0, in percent, for the Bayesian figures: 30 expects most uplifts to be between -60 % and +60 %. Null for a flat prior.';
export const ALLOWED_ORIGINS =
  'Origins whose pages may send events and request decisions with the client key, such as `https://shop.example.com`. Null allows any origin. Browsers on other sites get 403. Requests without an `Origin` header, such as those of back ends, are always allowed.';
export const EVENTS_PER_MINUTE =
  "Maximum events per minute with the project's client key. Null uses the server's `EVENTS_PER_MINUTE`. Above it, requests for this project get 429 with `Retry-After`.";
export const PUSH_TO =
  'Where the snippet announces each exposure on the page: `dataLayer` (Google Tag Manager), `gtag` (Google Analytics), `analytics` (Segment). Takes effect with the next publication. Empty by default.';

/** Percent. */
export const MIN_PRIOR = 0.01;
export const MAX_PRIOR = 1_000;
export const MAX_ORIGINS = 100;
export const MAX_ORIGIN = 261;
export const MAX_EVENTS_PER_MINUTE = 1_000_000_000;

@ApiSchema({
  description:
    'The limits for events of a project, its statistical method, and where the snippet announces exposures.',
})
export class ProjectSettingsRecord {
  @Id('Id of the project.')
  id: number;

  @Output({ type: 'string', enum: STATISTICS_METHODS, description: METHOD })
  statistics_method: Project['statistics_method'];

  @Output({ type: 'string', enum: STATISTICS_CORRECTIONS, description: CORRECTION })
  correction: Project['statistics_correction'];

  @Output({
    type: 'number',
    nullable: true,
    minimum: MIN_PRIOR,
    maximum: MAX_PRIOR,
    description: UPLIFT_PRIOR,
  })
  uplift_prior: number | null;

  @Output({
    type: 'array',
    nullable: true,
    items: { type: 'string', maxLength: MAX_ORIGIN },
    description: ALLOWED_ORIGINS,
  })
  allowed_origins: string[] | null;

  @Output({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_EVENTS_PER_MINUTE,
    description: EVENTS_PER_MINUTE,
  })
  events_per_minute: number | null;

  @Output({
    type: 'array',
    items: { type: 'string', enum: [...PUSH_TARGETS] },
    description: PUSH_TO,
  })
  push_to: PushTarget[];

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: ProjectSettingsRecord = {
    id: 1,
    statistics_method: 'sequential',
    correction: 'none',
    uplift_prior: null,
    allowed_origins: ['https://shop.example.com'],
    events_per_minute: null,
    push_to: ['dataLayer'],
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

/** The settings that are stored in the project row. */
export type JudgedBy = Pick<Project, 'statistics_method' | 'statistics_correction' | 'uplift_prior'>;

export function toSettingsRecord(row: ProjectSettings, project: JudgedBy): ProjectSettingsRecord {
  return {
    id: row.id,
    statistics_method: project.statistics_method,
    correction: project.statistics_correction,
    uplift_prior: project.uplift_prior,
    allowed_origins: row.allowed_origins,
    events_per_minute: row.events_per_minute,
    push_to: row.push_to,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
