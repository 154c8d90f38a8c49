import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import {
  BytesColumn,
  IdColumn,
  IntegerColumn,
  JsonColumn,
  MicrosColumn,
  TextColumn,
} from '../../database/columns';

/** A user's idempotency key, and the response to its request once there is one. */
@Entity('idempotency_keys')
@Index('uq_idempotency_keys_key', ['user_id', 'key_hash'], { unique: true })
@Index('ix_idempotency_keys_claimed', ['claimed_at'])
export class IdempotencyKey {
  /** Identifies the claim. The next claim to the key gets a different id. */
  @IdColumn()
  id: number;

  @IntegerColumn()
  user_id: number;

  /** The SHA-256 hash of the key in hex. Keys themselves can contain any character. */
  @TextColumn(64)
  key_hash: string;

  /** The SHA-256 hash of the request's path and body, in hex. */
  @TextColumn(64)
  fingerprint: string;

  @MicrosColumn()
  claimed_at: Micros;

  /** While the request is running, the time from which a different request may claim the key. */
  @MicrosColumn({ nullable: true })
  lease_until: Micros | null;

  /** Null while the request is running. */
  @IntegerColumn({ nullable: true })
  status: number | null;

  @JsonColumn()
  headers: Record<string, string> | null;
}

/** A part of a response body, because a whole body can exceed the maximum size of a statement. */
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
