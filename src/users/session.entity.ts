import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from '../database/columns';
import { User } from './user.entity';

/** A session: a user signed in with one browser. */
@Entity('sessions')
@Index('uq_sessions_secret_hash', ['secret_hash'], { unique: true })
@Index('ix_sessions_user', ['user_id'])
@Index('ix_sessions_expires', ['expires_at'])
export class Session {
  @IdColumn()
  id: number;

  @IntegerColumn()
  user_id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_sessions_user' })
  user?: Relation<User>;

  /** SHA-256 of the cookie's secret, in hexadecimal. */
  @TextColumn(64)
  secret_hash: string;

  @MicrosColumn()
  created_at: Micros;

  /** To the hour. */
  @MicrosColumn()
  last_used_at: Micros;

  @MicrosColumn()
  expires_at: Micros;

  /** When the password was entered again; null if it was not since sign-in. */
  @MicrosColumn({ nullable: true })
  confirmed_at: Micros | null;

  /** The user agent at sign-in. */
  @TextColumn(255, { nullable: true })
  user_agent: string | null;
}
