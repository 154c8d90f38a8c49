import { ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { OneOfField } from '../../common/validation/body-fields';
import { Field, Output } from '../../common/validation/fields';
import {
  CreatedAt,
  DescribedRecord,
  NameField,
  DescribingFields,
  UpdatedAt,
} from '../../common/validation/record-fields';
import { ACTIVATIONS, Page } from './page.entity';
import { checkPageConditions, PAGE_MATCHES, PageCondition } from './page-conditions';

/** The schema of a page condition. @param required the fields that are always present; other fields have defaults */
const conditionSchema = (required: string[]) => ({
  type: 'object' as const,
  description: 'A comparison of the page URL with a value.',
  properties: {
    match: {
      type: 'string' as const,
      enum: [...PAGE_MATCHES],
      default: 'simple',
      description:
        '`simple` compares host and path, without scheme, query, fragment and trailing slash. Every other match compares the whole URL, from its scheme to its fragment: all of it (`exact`), its beginning (`starts_with`, such as `https://shop.example.com/products/`), its end (`ends_with`), or any part of it (`contains`, such as `/products/`; `regex`).',
    },
    value: {
      type: 'string' as const,
      minLength: 1,
      maxLength: 2_048,
      description:
        'The value to compare with the URL. With `simple`, a value that starts with `/` is a path on any host. A whole URL never starts with `/`.',
    },
    negate: {
      type: 'boolean' as const,
      default: false,
      description: 'Exclude URLs that match.',
    },
  },
  required,
});

/** A condition in a request, where only the value must be given. */
const CONDITION_INPUT = conditionSchema(['value']);
const CONDITION = conditionSchema(['match', 'value', 'negate']);

const ACTIVATION =
  'When the snippet checks whether the page matches. `immediate`: on page load. `manual`: when the page calls the snippet. `dom_change`: when the document changes. `url_change`: when the URL changes.';

@ApiSchema({ description: 'Where an experiment runs: the URLs that match the conditions.' })
export class PageRecord extends DescribedRecord {
  @Output({
    type: 'array',
    items: CONDITION,
    description:
      'At least one condition without `negate` must match, and no condition with `negate` may match. An empty list matches every URL.',
  })
  conditions: PageCondition[];

  @Output({ type: 'string', enum: ACTIVATIONS, description: ACTIVATION })
  activation: (typeof ACTIVATIONS)[number];

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: PageRecord = {
    id: 2,
    project_id: 1,
    name: 'Product pages',
    api_name: 'product-pages',
    description: null,
    conditions: [{ match: 'starts_with', value: 'https://shop.example.com/products/', negate: false }],
    activation: 'immediate',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toPageRecord(row: Page): PageRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    conditions: row.conditions,
    activation: row.activation,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

const CONDITIONS: ApiPropertyOptions = {
  type: 'array',
  items: CONDITION_INPUT,
  maxItems: 100,
  description:
    'Up to 100 conditions. The page matches if at least one condition without `negate` matches and no condition with `negate` does. An empty list or null matches every URL. In a condition, null is the same as an absent field.',
};

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkPageConditions(value), CONDITIONS, { nullable: true });

@ApiSchema({ description: 'Page fields that can be changed. Absent fields stay unchanged.' })
export class UpdatePage extends DescribingFields {
  @ConditionsField()
  conditions?: PageCondition[] | null;

  @OneOfField(ACTIVATIONS, { default: 'immediate', description: ACTIVATION })
  activation?: (typeof ACTIVATIONS)[number];

  static readonly example: object = { activation: 'url_change' };
}

@ApiSchema({ description: 'A new page. Only the name is required.' })
export class CreatePage extends UpdatePage {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Product pages',
    conditions: [{ match: 'starts_with', value: 'https://shop.example.com/products/' }],
  };
}
