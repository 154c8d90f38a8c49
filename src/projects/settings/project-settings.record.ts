import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { FlagField, IntegerField, OneOfField, PercentField } from '../../common/validation/body-fields';
import { listOf, oneOf } from '../../common/validation/checks';
import { EmptiedByNull, Field, FieldCheck, Output } from '../../common/validation/fields';
import { CreatedAt, Id, UpdatedAt } from '../../common/validation/record-fields';
import { Project, STATISTICS_CORRECTIONS, STATISTICS_METHODS } from '../project.entity';
import type { ProjectSettings } from './project-settings.entity';
import { PUSH_TARGETS, PushTarget } from './push-targets';

/* Descriptions of settings, shared by requests and responses. */
const METHOD = 'Statistical method that determines when a result is conclusive.';
const CORRECTION =
  'Correction for multiple comparisons in one experiment: `none`, `holm` (controls the chance of any false winner) or `benjamini-hochberg` (controls the share of false winners).';
const UPLIFT_PRIOR =
  'Standard deviation in percent of the normal prior on the uplift, which has mean 0. Used for the Bayesian figures. With 30, most uplifts are expected to be between -60 % and +60 %. Null for a flat prior.';
const ALLOWED_ORIGINS =
  'Origins whose pages may send events and request decisions with the client key, such as `https://shop.example.com`. Null allows any origin. Browsers on other sites get 403. Requests without an `Origin` header, such as those of back ends, are always allowed.';
const EVENTS_PER_MINUTE =
  "Maximum events per minute with the project's client key. Null uses the server's `EVENTS_PER_MINUTE`. Above this limit, requests for this project get 429 with `Retry-After`; a single request with more messages gets 413.";
const PUSH_TO =
  'Where the snippet announces each exposure on the page: `dataLayer` (Google Tag Manager), `gtag` (Google Analytics), `analytics` (Segment). Takes effect with the next publication. Empty by default.';

const SHARE_BY_DEFAULT =
  'Whether new experiments, and clones of shared experiments, start with a working share link (`shared`). Existing experiments do not change. True by default.';
const CURRENCY =
  'Currency of revenue as an ISO 4217 code, such as `EUR`. Pages show it with amounts; the API returns plain numbers. Null shows amounts without a currency.';

const EVENT_RETENTION_DAYS =
  'Days after which events are removed permanently. The removal runs once a day, in small steps. An event is kept until every experiment that was started before the event has a final result. Results are kept, but those of experiments whose events were removed can no longer be recomputed. Null keeps events forever.';

/** In percent. */
const MIN_PRIOR = 0.01;
const MAX_PRIOR = 1_000;
const MAX_ORIGINS = 100;
const MAX_ORIGIN = 261;
const MAX_RETENTION_DAYS = 3_650;
const MAX_EVENTS_PER_MINUTE = 1_000_000_000;

@ApiSchema({
  description:
    'The limits for events of a project, its statistical method, where the snippet announces exposures, and whether results are shared.',
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

  @Output({ type: 'string', nullable: true, description: CURRENCY })
  currency: string | null;

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
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_RETENTION_DAYS,
    description: EVENT_RETENTION_DAYS,
  })
  event_retention_days: number | null;

  @Output({
    type: 'array',
    items: { type: 'string', enum: [...PUSH_TARGETS] },
    description: PUSH_TO,
  })
  push_to: PushTarget[];

  @Output({ type: 'boolean', description: SHARE_BY_DEFAULT })
  share_by_default: boolean;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: ProjectSettingsRecord = {
    id: 1,
    statistics_method: 'sequential',
    correction: 'none',
    uplift_prior: null,
    currency: 'EUR',
    allowed_origins: ['https://shop.example.com'],
    events_per_minute: null,
    event_retention_days: 400,
    push_to: ['dataLayer'],
    share_by_default: true,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

/** The settings stored in the project row. */
export type JudgedBy = Pick<
  Project,
  'statistics_method' | 'statistics_correction' | 'uplift_prior' | 'currency'
>;

export function toSettingsRecord(row: ProjectSettings, project: JudgedBy): ProjectSettingsRecord {
  return {
    id: row.id,
    statistics_method: project.statistics_method,
    correction: project.statistics_correction,
    uplift_prior: project.uplift_prior,
    currency: project.currency,
    allowed_origins: row.allowed_origins,
    events_per_minute: row.events_per_minute,
    event_retention_days: row.event_retention_days,
    push_to: row.push_to,
    share_by_default: row.share_by_default,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

/** An origin as browsers send it: lower case, without default port, path or spaces. */
const origin: FieldCheck = (value, label) => {
  const isText = typeof value === 'string' && value.length <= MAX_ORIGIN;
  const url = isText && URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return `The ${label} must consist of scheme, host and port, such as https://shop.example.com.`;
  }
  return url.origin === value ? null : `The ${label} must be written as browsers send it: ${url.origin}.`;
};

const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

const currencyCode: FieldCheck = (value, label) =>
  CURRENCIES.has(value)
    ? null
    : `The ${label} must be an ISO 4217 currency code: three upper-case letters, such as EUR.`;

@ApiSchema({ description: 'Settings that can be changed. Absent fields stay unchanged.' })
export class UpdateProjectSettings {
  @OneOfField(STATISTICS_METHODS, { description: METHOD })
  statistics_method?: Project['statistics_method'];

  @OneOfField(STATISTICS_CORRECTIONS, { description: CORRECTION })
  correction?: Project['statistics_correction'];

  @PercentField(MIN_PRIOR, MAX_PRIOR, {
    description: `${UPLIFT_PRIOR} At most two decimal places.`,
    nullable: true,
  })
  uplift_prior?: number | null;

  @Field(currencyCode, { type: 'string', pattern: '^[A-Z]{3}$', description: CURRENCY }, { nullable: true })
  currency?: string | null;

  @Field(
    listOf(origin, 'origin', MAX_ORIGINS, (value) => value),
    {
      type: 'array',
      items: { type: 'string', maxLength: MAX_ORIGIN },
      maxItems: MAX_ORIGINS,
      description: ALLOWED_ORIGINS,
    },
    { nullable: true },
  )
  allowed_origins?: string[] | null;

  @IntegerField(1, MAX_EVENTS_PER_MINUTE, { description: EVENTS_PER_MINUTE, nullable: true })
  events_per_minute?: number | null;

  @IntegerField(1, MAX_RETENTION_DAYS, { description: EVENT_RETENTION_DAYS, nullable: true })
  event_retention_days?: number | null;

  @EmptiedByNull()
  @Field(
    listOf(oneOf(PUSH_TARGETS), 'target', PUSH_TARGETS.length, (value) => value),
    {
      type: 'array',
      items: { type: 'string', enum: [...PUSH_TARGETS] },
      maxItems: PUSH_TARGETS.length,
      description: `${PUSH_TO} Null empties the list.`,
    },
    { nullable: true },
  )
  push_to?: PushTarget[];

  @FlagField({ description: SHARE_BY_DEFAULT })
  share_by_default?: boolean;

  static readonly example = { allowed_origins: ['https://shop.example.com'], events_per_minute: 50_000 };
}
