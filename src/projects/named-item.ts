import { ApiSchema } from '@nestjs/swagger';
import { text } from '../common/validation/checks';
import { Field } from '../common/validation/fields';

/** Body of find-by-name. The name is compared as it is sent, blanks included. */
@ApiSchema({ description: 'The name to look for.' })
export class FindByName {
  @Field(text(2_000, 1), { type: 'string', description: 'The exact name.' }, { required: true })
  name: string;
}
