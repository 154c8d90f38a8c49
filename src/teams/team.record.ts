import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../common/time/clock';
import { CreatedAt, Id, Name, UpdatedAt } from '../common/validation/record-fields';
import type { Team } from './team.entity';

@ApiSchema({ description: 'A group of users who share projects. Every member has a role in the team.' })
export class TeamRecord {
  @Id()
  id: number;

  @Name()
  name: string;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: TeamRecord = {
    id: 1,
    name: 'Growth',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toTeamRecord(row: Team): TeamRecord {
  return {
    id: row.id,
    name: row.name,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
