import { Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
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

  /** An argon2id hash in PHC string format; null for a user without a password. */
  @TextColumn(255, { nullable: true })
  password_hash: string | null;

  /** Requests per minute; 0 = unlimited, null = the server's default. */
  @IntegerColumn({ nullable: true })
  rate_limit: number | null;

  @MicrosColumn({ nullable: true })
  disabled_at: Micros | null;

  /** Version of the user's team list, incremented whenever the list changes. */
  @IntegerColumn()
  teams_version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}

/** A session: one browser in which a user is signed in. */
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

  /** SHA-256 hash of the cookie's secret, in hexadecimal. */
  @TextColumn(64)
  secret_hash: string;

  @MicrosColumn()
  created_at: Micros;

  /** Accurate to the hour. */
  @MicrosColumn()
  last_used_at: Micros;

  @MicrosColumn()
  expires_at: Micros;

  /** When the password was last entered again; null if it has not been entered since sign-in. */
  @MicrosColumn({ nullable: true })
  confirmed_at: Micros | null;

  /** The user agent at sign-in. */
  @TextColumn(255, { nullable: true })
  user_agent: string | null;
}

/** The account of a user at an OpenID Connect provider. */
@Entity('identities')
@Index('uq_identities_subject', ['issuer', 'subject'], { unique: true })
@Index('uq_identities_user', ['user_id', 'issuer'], { unique: true })
export class Identity {
  @IdColumn()
  id: number;

  @IntegerColumn()
  user_id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_identities_user' })
  user?: Relation<User>;

  @TextColumn(255)
  issuer: string;

  /** The provider's id for the account, which the provider never assigns to a different account. */
  @TextColumn(255)
  subject: string;

  @MicrosColumn()
  created_at: Micros;
}

/** An account at an OpenID Connect provider. */
export type Account = Pick<Identity, 'issuer' | 'subject'>;

/** An invited user who has not set a password yet. The row is kept until then, even if there is no valid link. */
@Entity('invitations')
@Index('uq_invitations_secret_hash', ['secret_hash'], { unique: true })
export class Invitation {
  @PrimaryColumn({ type: 'integer' })
  user_id: number;

  @OneToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_invitations_user' })
  user?: Relation<User>;

  /** SHA-256 hash of the link's secret, in hexadecimal; null if the link was withdrawn. */
  @TextColumn(64, { nullable: true })
  secret_hash: string | null;

  @MicrosColumn()
  expires_at: Micros;

  @MicrosColumn()
  created_at: Micros;
}
