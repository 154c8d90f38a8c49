import { randomUUID } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { formatMicros, Micros, nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { OutboxStore } from './outbox.store';
import type { Happening, NamedRef, WebhookEvent } from './webhook-events';
import { PROJECT_LANE, TEST_LANE, WebhookDelivery } from './webhook.entity';

/** The type of event that a user sends to test a webhook. */
export const TEST_EVENT = 'webhook.test';

/**
 * The transactional outbox. Webhook messages are written in the same transaction as the change that they report, and
 * sent later (`delivery-worker.ts`).
 */
@Injectable()
export class Outbox {
  constructor(private readonly store: OutboxStore) {}

  /**
   * Writes the event for each active webhook that subscribes to it. @param tx the transaction in which the change is
   * made
   * @returns whether any webhook subscribes to it
   */
  async record(tx: Tx, happening: Happening, now: Micros = nowMicros()): Promise<boolean> {
    const { type, projectId, experimentId, data } = happening;
    const webhookIds = await this.store.subscribers(tx, projectId, type);
    if (webhookIds.length === 0) {
      return false;
    }
    const experiment =
      experimentId === undefined
        ? {}
        : { experiment: await this.store.named(tx, 'experiment', experimentId) };
    const body = bodyOf(type, { project_id: projectId, ...experiment, ...data }, now);
    const message = { message_id: newMessageId(), type, body };
    const lane = experimentId ?? PROJECT_LANE;
    await this.store.insertAll(
      tx,
      webhookIds.map((webhookId) => newDelivery(webhookId, lane, message, now)),
    );
    return true;
  }

  /** Whether any active webhook subscribes to the event. */
  isAwaited(projectId: number, type: WebhookEvent): Promise<boolean> {
    return this.store.isAwaited(projectId, type);
  }

  /** A record in the form in which events contain it; null if it does not exist. */
  named(tx: Tx, kind: 'goal' | 'variation', id: number): Promise<NamedRef | null> {
    return this.store.named(tx, kind, id);
  }

  /** Writes a test message for a webhook, whether active or not. @returns its row */
  async recordTest(tx: Tx, webhookId: number, projectId: number, now: Micros): Promise<WebhookDelivery> {
    const data = { project_id: projectId, webhook_id: webhookId };
    const message = {
      message_id: newMessageId(),
      type: TEST_EVENT,
      body: bodyOf(TEST_EVENT, data, now),
    };
    const row = newDelivery(webhookId, TEST_LANE, message, now);
    return { id: await this.store.insert(tx, row), ...row };
  }
}

const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`;

const bodyOf = (type: string, data: object, now: Micros): string =>
  JSON.stringify({ type, timestamp: formatMicros(now), data });

const newDelivery = (
  webhookId: number,
  lane: number,
  message: Pick<WebhookDelivery, 'message_id' | 'type' | 'body'>,
  now: Micros,
): Omit<WebhookDelivery, 'id'> => ({
  webhook_id: webhookId,
  lane,
  ...message,
  status: 'pending',
  tries: 0,
  next_try_at: now,
  response_status: null,
  error: null,
  created_at: now,
  delivered_at: null,
  lock_version: 0,
});

/** Provides the outbox to modules whose events webhooks report. */
@Module({ providers: [Outbox, OutboxStore], exports: [Outbox] })
export class OutboxModule {}
