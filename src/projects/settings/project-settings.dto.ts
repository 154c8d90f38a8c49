import { ApiSchema } from '@nestjs/swagger';
import { FlagField, IntegerField, OneOfField, PercentField } from '../../common/validation/body-fields';
import { listOf, oneOf } from '../../common/validation/checks';
import { EmptiedByNull, Field, FieldCheck } from '../../common/validation/fields';
import { Project, STATISTICS_CORRECTIONS, STATISTICS_METHODS } from '../project.entity';
import {
  ALLOWED_ORIGINS,
  CORRECTION,
  CURRENCY,
  EVENT_RETENTION_DAYS,
  EVENTS_PER_MINUTE,
  MAX_EVENTS_PER_MINUTE,
  MAX_ORIGIN,
  MAX_ORIGINS,
  MAX_PRIOR,
  MAX_RETENTION_DAYS,
  METHOD,
  MIN_PRIOR,
  PUSH_TO,
  SHARE_BY_DEFAULT,
  UPLIFT_PRIOR,
} from './project-settings.record';
import { PUSH_TARGETS, PushTarget } from './push-targets';

/** An origin as browsers send it: lower case, without default port, path or blanks. */
const origin: FieldCheck = (value, label) => {
  const isText = typeof value === 'string' && value.length <= MAX_ORIGIN;
  const url = isText && URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return `The ${label} must be scheme, host and port of a site, such as https://shop.example.com.`;
  }
  return url.origin === value ? null : `The ${label} must be written as browsers send it: ${url.origin}.`;
};

const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

const currencyCode: FieldCheck = (value, label) =>
  CURRENCIES.has(value)
    ? null
    : `The ${label} must be a currency code of ISO 4217: 3 upper-case letters, such as EUR.`;

@ApiSchema({ description: 'The settings that may be changed. Absent fields stay unchanged.' })
export class UpdateProjectSettings {
  @OneOfField(STATISTICS_METHODS, { description: METHOD })
  statistics_method?: Project['statistics_method'];

  @OneOfField(STATISTICS_CORRECTIONS, { description: CORRECTION })
  correction?: Project['statistics_correction'];

  @PercentField(MIN_PRIOR, MAX_PRIOR, {
    description: `${UPLIFT_PRIOR} Two decimals at most.`,
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
