import { ApiSchema } from '@nestjs/swagger';
import { ConstrainedField } from '../common/validation/fields';
import { textRules } from '../common/validation/rules';

/** Body of find-by-name. The name is compared exactly, including blanks. */
@ApiSchema({ description: 'The name to look for.' })
export class FindByName {
  @ConstrainedField(
    textRules(2_000, 1),
    { type: 'string', description: 'The exact name.' },
    { required: true },
  )
  name: string;
}
