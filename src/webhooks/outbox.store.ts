import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { lineOf } from '../database/columns';
import { Database, Tx } from '../database/database';
import { lockRows, RowStore } from '../database/row-store';
import { WebhookDelivery } from './webhook.entity';
import type { NamedRef } from './webhook-events';

const TABLES = { experiment: 'experiments', goal: 'goals', variation: 'variations' } as const;

/** Writes webhook messages. */
@Injectable()
export class OutboxStore extends RowStore<WebhookDelivery> {
  constructor(private readonly database: Database) {
    super(database, WebhookDelivery);
  }

  async isAwaited(projectId: number, event: string): Promise<boolean> {
    return (await awaiting(this.database.read, projectId, event)).length > 0;
  }

  /**
   * The active webhooks in a project that subscribe to an event. The webhooks are locked until the transaction ends, so
   * they stay active and the ids of their deliveries ascend in commit order.
   */
  async subscribers(tx: Tx, projectId: number, event: string): Promise<number[]> {
    const ids = await awaiting(tx, projectId, event);
    if (ids.length === 0) {
      return [];
    }
    await lockRows(tx, 'webhooks', 'id', ids);
    // A webhook may have been deactivated, changed or deleted before it was locked.
    const locked = await awaiting(tx, projectId, event);
    return locked.filter((id) => ids.includes(id));
  }

  /** A record with its name; null if it does not exist. */
  async named(tx: Tx, kind: keyof typeof TABLES, id: number): Promise<NamedRef | null> {
    const [row]: NamedRef[] = await tx.query(`SELECT id, name, api_name FROM ${TABLES[kind]} WHERE id = ?`, [
      id,
    ]);
    return row ?? null;
  }
}

/** The active webhooks in a project that subscribe to an event. */
async function awaiting(manager: EntityManager, projectId: number, event: string): Promise<number[]> {
  const rows: { id: number }[] = await manager.query(
    'SELECT id FROM webhooks WHERE project_id = ? AND is_active = 1 AND INSTR(events, ?) > 0 ORDER BY id',
    [projectId, lineOf(event)],
  );
  return rows.map(({ id }) => id);
}
