import { ApiSchema } from '@nestjs/swagger';
import { IntegerField, OneOfField, PercentField } from '../common/validation/body-fields';
import { DescriptionField, NameField } from '../common/validation/record-fields';
import type { Rule } from '../common/validation/rules';
import { Project, STORAGES } from './project.entity';
import { MIN_CONVERSIONS, MIN_RUNTIME_DAYS, SIGNIFICANCE, STORAGE } from './project.record';

const NO_FRACTION: Rule = {
  name: 'isNoFraction',
  isMet: (value) => !(typeof value === 'number' && value > 0 && value < 1),
  message: (label, value) =>
    `The ${label} is a percent between 50 and 99.99: send ${Number(((value as number) * 100).toFixed(2))}, not ${String(value)}.`,
};

@ApiSchema({ description: 'The settings of a project that may be changed. Absent fields stay unchanged.' })
export class UpdateProject {
  @NameField()
  name?: string;

  @DescriptionField()
  description?: string | null;

  @PercentField(
    50,
    99.99,
    { description: `${SIGNIFICANCE} At most two decimals. A fraction such as 0.95 is rejected.` },
    [NO_FRACTION],
  )
  significance?: number;

  @IntegerField(0, 1_000_000, { description: MIN_CONVERSIONS })
  min_conversions?: number;

  @IntegerField(0, 365, { description: MIN_RUNTIME_DAYS })
  min_runtime_days?: number;

  static readonly example = { significance: 97.5, min_runtime_days: 14 };
}

@ApiSchema({ description: 'A new project. Only the name is required.' })
export class CreateProject {
  @NameField({ required: true })
  name: string;

  @OneOfField(STORAGES, {
    default: 'localStorage',
    description: `${STORAGE} A cookie works on all subdomains of a site. Cannot be changed later.`,
  })
  storage?: Project['storage'];

  static readonly example = { name: 'Shop', storage: 'cookie' };
}
