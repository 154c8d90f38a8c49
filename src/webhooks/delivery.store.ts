import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/lists/list-query';
import { type Micros, SECOND_MICROS } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import { Database, Tx } from '../database/database';
import { countRows, placeholders, RowStore } from '../database/row-store';
import { deleteInSteps, expiredRows } from '../database/stepwise-deletes';
import type { PathItem } from '../platform/access/scope';
import { Project } from '../projects/project.entity';
import { LONGEST_WAITS } from './retry-schedule';
import { TEST_LANE, Webhook, WebhookDelivery } from './webhook.entity';

/**
 * The path parameter for a delivery. Deliveries have no version, because only the server changes them, while they are
 * being sent.
 */
export const deliveryPath: PathItem = {
  param: 'delivery',
  table: 'webhook_deliveries',
  parentColumn: 'webhook_id',
  hasVersion: false,
};

/** A due delivery, with the data for sending it. */
export interface DueDelivery
  extends
    Pick<WebhookDelivery, 'id' | 'webhook_id' | 'message_id' | 'lane' | 'body' | 'tries' | 'lock_version'>,
    Pick<Webhook, 'project_id' | 'url' | 'format' | 'secret' | 'previous_secret' | 'previous_secret_until'>,
    Pick<Project, 'team_id'> {}

/** A row as drivers return it. Large integers can be strings. */
type DueRow = Omit<DueDelivery, 'lock_version' | 'previous_secret_until'> & {
  lock_version: number | string;
  previous_secret_until: number | string | null;
};

/**
 * The lease on a claimed delivery, which is longer than an attempt takes. After this time, a different process may send
 * the delivery, because the first process must have died.
 */
export const LEASE_MICROS = 60 * SECOND_MICROS;

/** The difference between two clocks that is tolerated. */
const CLOCK_DIFFERENCE = 240 * SECOND_MICROS;

/**
 * The longest wait for the next attempt, by the number of finished attempts. The first attempt waits only for the lease
 * of a process that has died. Deliveries with a later time were planned while a clock was ahead.
 */
const MAX_WAITS = [LEASE_MICROS, ...LONGEST_WAITS].map((wait) => Math.round(wait + CLOCK_DIFFERENCE));

/** The first condition lets the database use the index on `next_try_at`. */
const IS_TOO_LATE = `d.next_try_at > ? + ${Math.min(...MAX_WAITS)}
  AND d.next_try_at > ? + CASE d.tries ${MAX_WAITS.map((wait, tries) => `WHEN ${tries} THEN ${wait}`).join(' ')} END`;

/** The first pending delivery of each lane, if it is due. A disabled webhook keeps its pending deliveries. */
const DUE = `SELECT d.id, d.webhook_id, d.message_id, d.lane, d.body, d.tries, d.lock_version,
                    w.project_id, w.url, w.format, w.secret, w.previous_secret, w.previous_secret_until,
                    p.team_id
               FROM webhook_deliveries d
               JOIN webhooks w ON w.id = d.webhook_id
               JOIN projects p ON p.id = w.project_id
              WHERE d.status = 'pending' AND (d.next_try_at <= ? OR (${IS_TOO_LATE}))
                AND p.deleted_at IS NULL
                AND (w.is_active = 1 OR d.lane = ${TEST_LANE})
                AND NOT EXISTS (SELECT 1 FROM webhook_deliveries e
                                 WHERE e.webhook_id = d.webhook_id AND e.lane = d.lane AND e.status = 'pending'
                                   AND e.id < d.id)`;

const notIn = (column: string, ids: readonly number[]): string =>
  ids.length === 0 ? '1 = 1' : `${column} NOT IN (${placeholders(ids.length)})`;

@Injectable()
export class DeliveryStore extends RowStore<WebhookDelivery> {
  constructor(private readonly database: Database) {
    super(database, WebhookDelivery);
  }

  /**
   * The deliveries that are due. @param busyWebhooks webhooks to skip for now, except for their tests @param busyTeams
   * teams to skip for now, including their tests
   */
  async due(
    now: Micros,
    limit: number,
    busyWebhooks: readonly number[],
    busyTeams: readonly number[],
  ): Promise<DueDelivery[]> {
    const others = `(d.lane = ${TEST_LANE} OR ${notIn('d.webhook_id', busyWebhooks)}) AND ${notIn('p.team_id', busyTeams)}`;
    const rows: DueRow[] = await this.database.read.query(
      `${DUE} AND ${others} ORDER BY d.next_try_at, d.id LIMIT ${limit}`,
      [now, now, now, ...busyWebhooks, ...busyTeams],
    );
    return rows.map((row) => ({
      ...row,
      lock_version: Number(row.lock_version),
      previous_secret_until: numberOrNull(row.previous_secret_until),
    }));
  }

  /**
   * Claims a delivery, unless a different process has claimed it since it was read. @param until the time from which a
   * different process may claim the delivery
   */
  async claim(tx: Tx, { id, lock_version }: DueDelivery, until: Micros): Promise<boolean> {
    const changes = 'next_try_at = ?, lock_version = lock_version + 1';
    return (await this.changeVersion(tx, id, lock_version, changes, [until])) > 0;
  }

  /** Stores the outcome of an attempt, unless a different process has claimed the delivery in the meantime. */
  async finish(
    tx: Tx,
    { id, lock_version }: Pick<DueDelivery, 'id' | 'lock_version'>,
    result: Pick<
      WebhookDelivery,
      'status' | 'tries' | 'next_try_at' | 'response_status' | 'error' | 'delivered_at'
    >,
  ): Promise<boolean> {
    const { status, tries, next_try_at, response_status, error, delivered_at } = result;
    const changes =
      'status = ?, tries = ?, next_try_at = ?, response_status = ?, error = ?, delivered_at = ?, lock_version = lock_version + 1';
    const values = [status, tries, next_try_at, response_status, error, delivered_at];
    return (await this.changeVersion(tx, id, lock_version, changes, values)) > 0;
  }

  read(id: number): Promise<WebhookDelivery | null> {
    return this.findById(this.database.read, id);
  }

  /** Sets a dead delivery to pending. @returns false if it is not dead */
  async revive(tx: Tx, id: number, now: Micros): Promise<boolean> {
    const found = await countRows(
      tx,
      `UPDATE webhook_deliveries SET status = 'pending', tries = 0, next_try_at = ?, lock_version = lock_version + 1
        WHERE id = ? AND status = 'dead'`,
      [now, id],
    );
    return found > 0;
  }

  /** A page of a webhook's deliveries, newest first. @param status null for any status */
  async page(
    webhookId: number,
    status: string | null,
    { number, perPage }: PageRequest,
  ): Promise<{ rows: WebhookDelivery[]; total: number }> {
    const { read } = this.database;
    const where = status === null ? 'webhook_id = ?' : 'webhook_id = ? AND status = ?';
    const parameters = status === null ? [webhookId] : [webhookId, status];
    const tail = `ORDER BY id DESC LIMIT ${perPage} OFFSET ${(number - 1) * perPage}`;
    const rows = await this.find(read, where, parameters, tail);
    return { rows, total: await this.count(read, where, parameters) };
  }

  /**
   * The numbers of pending and dead deliveries. Reads through the `delivery` connection, because metrics must not
   * depend on management requests.
   */
  async backlog(): Promise<{ pending: number; dead: number }> {
    const rows: { status: string; count: number | string }[] = await this.database.delivery.query(
      `SELECT status, COUNT(*) AS count FROM webhook_deliveries WHERE status IN ('pending', 'dead') GROUP BY status`,
    );
    const countOf = (status: string): number => Number(rows.find((row) => row.status === status)?.count ?? 0);
    return { pending: countOf('pending'), dead: countOf('dead') };
  }

  /** Deletes the deliveries that were written up to a given time, regardless of their status. */
  purge(until: Micros): Promise<void> {
    return deleteInSteps(this.database, expiredRows(this.table, 'created_at', until));
  }

  /** Deletes a webhook's deliveries that will not be sent again. */
  removeFinished(webhookId: number): Promise<void> {
    return deleteInSteps(this.database, {
      table: this.table,
      where: "webhook_id = ? AND status <> 'pending'",
      parameters: [webhookId],
      key: ['webhook_id', 'lane', 'status', 'id'],
    });
  }

  private changeVersion(
    tx: Tx,
    id: number,
    version: number,
    changes: string,
    values: readonly unknown[],
  ): Promise<number> {
    const sql = `UPDATE ${this.table} SET ${changes} WHERE id = ? AND status = 'pending' AND lock_version = ?`;
    return countRows(tx, sql, [...values, id, version]);
  }
}

@Injectable()
export class WebhookStore extends RowStore<Webhook> {
  constructor(database: Database) {
    super(database, Webhook);
  }
}
