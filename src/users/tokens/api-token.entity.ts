import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IdColumn, IntegerColumn, JsonColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { User } from '../user.entities';

@Entity('api_tokens')
@Index('uq_api_tokens_token_hash', ['token_hash'], { unique: true })
@Index('ix_api_tokens_user', ['user_id'])
export class ApiToken {
  @IdColumn()
  id: number;

  @IntegerColumn()
  user_id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_api_tokens_user' })
  user?: Relation<User>;

  @TextColumn(255)
  name: string;

  /** SHA-256 hash of the token's text, in hexadecimal. */
  @TextColumn(64)
  token_hash: string;

  /** `read`, or `read,write`. */
  @TextColumn(16)
  abilities: string;

  @MicrosColumn({ nullable: true })
  last_used_at: Micros | null;

  /** Null for a token that does not expire. */
  @MicrosColumn({ nullable: true })
  expires_at: Micros | null;

  /** The only projects that the token may access; null for all projects of its user. */
  @JsonColumn()
  project_ids: number[] | null;

  @MicrosColumn()
  created_at: Micros;
}
