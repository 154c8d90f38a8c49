import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  BytesColumn,
  IdColumn,
  IntegerColumn,
  JsonColumn,
  MicrosColumn,
  TextColumn,
} from '../database/columns';

/** A key that a user has sent, and the answer to the request it came with once there is one. */
@Entity('idempotency_keys')
@Index('uq_idempotency_keys_key', ['user_id', 'key_hash'], { unique: true })
@Index('ix_idempotency_keys_claimed', ['claimed_at'])
export class IdempotencyKey {
  /** Names the claim: whoever claims the key after it gets another id. */
  @IdColumn()
  id: number;

  @IntegerColumn()
  user_id: number;

  /** SHA-256 in hex: keys may be of any characters. */
  @TextColumn(64)
  key_hash: string;

  /** SHA-256 in hex of the path and body that the key came with. */
  @TextColumn(64)
  fingerprint: string;

  @MicrosColumn()
  claimed_at: Micros;

  /** Null while the request is running. */
  @IntegerColumn({ nullable: true })
  status: number | null;

  @JsonColumn()
  headers: Record<string, string> | null;
}

/** A piece of the body of an answer: whole ones can be longer than a statement. */
@Entity('idempotency_bodies')
export class IdempotencyBody {
  @PrimaryColumn({ type: 'integer' })
  key_id: number;

  @ManyToOne(() => IdempotencyKey, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'fk_idempotency_bodies_key' })
  key?: Relation<IdempotencyKey>;

  @PrimaryColumn({ type: 'integer' })
  part: number;

  @BytesColumn()
  bytes: Buffer;
}
