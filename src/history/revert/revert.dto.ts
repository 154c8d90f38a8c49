import { ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'Reverting takes no fields.' })
export class RevertAuditEntry {
  static readonly example: object = {};
}
