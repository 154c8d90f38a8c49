import { ApiSchema } from '@nestjs/swagger';

/** Publishing takes no fields. */
@ApiSchema({ description: 'An empty object, or no body.' })
export class PublishProject {
  static readonly example = {};
}
