import { formatMicros } from '../common/time/clock';
import { Id, Name, Timestamp } from '../common/validation/record-fields';
import type { Team } from './team.entity';

export class TeamRecord {
  @Id()
  id: number;

  @Name()
  name: string;

  @Timestamp()
  created_at: string;

  @Timestamp()
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
