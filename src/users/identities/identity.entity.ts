import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IdColumn, IntegerColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { User } from '../user.entity';

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

  /** The provider's id of the account, which it never gives to another one. */
  @TextColumn(255)
  subject: string;

  @MicrosColumn()
  created_at: Micros;
}

/** An account at an OpenID Connect provider. */
export type Account = Pick<Identity, 'issuer' | 'subject'>;
