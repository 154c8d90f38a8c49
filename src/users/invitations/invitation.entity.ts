import { Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { MicrosColumn, TextColumn } from '../../database/columns';
import { User } from '../user.entity';

/** An invited user who has not set a password yet. The row stays until then, even without a valid link. */
@Entity('invitations')
@Index('uq_invitations_secret_hash', ['secret_hash'], { unique: true })
export class Invitation {
  @PrimaryColumn({ type: 'integer' })
  user_id: number;

  @OneToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_invitations_user' })
  user?: Relation<User>;

  /** SHA-256 of the link's secret, in hexadecimal; null after the link was withdrawn. */
  @TextColumn(64, { nullable: true })
  secret_hash: string | null;

  @MicrosColumn()
  expires_at: Micros;

  @MicrosColumn()
  created_at: Micros;
}
