import { Entity, Index } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../database/columns';

@Entity('users')
@Index('uq_users_email', ['email'], { unique: true })
export class User {
  @IdColumn()
  id: number;

  /** In lower case. */
  @TextColumn(255)
  email: string;

  @TextColumn(255)
  name: string;

  /** argon2id, in PHC string format; null for a user who cannot sign in. */
  @TextColumn(255, { nullable: true })
  password_hash: string | null;

  /** Requests per minute; 0 = unlimited, null = the server's default. */
  @IntegerColumn({ nullable: true })
  rate_limit: number | null;

  @MicrosColumn({ nullable: true })
  disabled_at: Micros | null;

  /** Version of the user's team list, incremented with each change. */
  @IntegerColumn()
  teams_version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
