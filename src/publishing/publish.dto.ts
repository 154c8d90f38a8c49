import { ApiSchema } from '@nestjs/swagger';

/** Publishing takes no fields. */
@ApiSchema({ description: 'Nothing: an empty object, or no body at all.' })
export class PublishProject {
  static readonly example = {};
}
