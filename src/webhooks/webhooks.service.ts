import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import { Listed, Renewed, Untagged } from '../common/http/answers';
import { parsePage, type RawQuery, singleValue } from '../common/lists/list-query';
import { DAY_MICROS } from '../common/time/clock';
import { oneOf } from '../common/validation/checks';
import { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { ProjectWrite, ProjectWriter, type WriteScope } from '../projects/project-writer';
import { toDeliveryRecord, WebhookDeliveryRecord } from './delivery.record';
import { DeliveryStore, WebhookStore } from './delivery.store';
import { Outbox } from './outbox';
import { newSecret } from './signature';
import { DELIVERY_STATUSES, type Webhook } from './webhook.entity';
import { SecretWebhookRecord, toWebhookRecord } from './webhook.record';

/** How long the previous secret continues to sign messages. */
const OVERLAP_MICROS = DAY_MICROS;

/** Actions on webhooks, other than creating and changing them. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly store: WebhookStore,
    private readonly deliveries: DeliveryStore,
    private readonly outbox: Outbox,
  ) {}

  /** Replaces the secret. The audit log contains neither the old nor the new secret. */
  rotate(scope: ProjectScope, submission: Submission<object>): Promise<Renewed<SecretWebhookRecord>> {
    return this.change(scope, submission, 'rotate-secret', async ({ tx, now }, row) => {
      const changes = {
        secret: newSecret(),
        previous_secret: row.secret,
        previous_secret_until: now + OVERLAP_MICROS,
        updated_at: now,
      };
      await this.store.update(tx, row.id, changes);
      const kept = { ...toWebhookRecord({ ...row, ...changes }), secret: null };
      const shown = { ...kept, secret: changes.secret };
      return new Renewed<SecretWebhookRecord>(shown, row.version + 1, (record) => record, row.id, kept);
    });
  }

  /** Writes a test message. */
  test(scope: ProjectScope, submission: Submission<object>): Promise<Untagged<WebhookDeliveryRecord>> {
    return this.change(scope, submission, 'test', async ({ tx, now }, row) => {
      const delivery = toDeliveryRecord(await this.outbox.recordTest(tx, row.id, row.project_id, now));
      return new Untagged(delivery, () => ({ ...delivery, id: null, message_id: null }));
    });
  }

  /** Sets a dead delivery to pending. @throws ValidationError if it is not dead */
  retry(scope: ProjectScope, submission: Submission<object>): Promise<Untagged<WebhookDeliveryRecord>> {
    const { id } = scope.target;
    return this.change(scope, submission, 'retry', async ({ tx, now, failures }) => {
      if (!(await this.deliveries.revive(tx, id, now))) {
        failures.add(
          'status',
          'Only a dead delivery can be retried. Other deliveries have been delivered or are still being retried.',
        );
      }
      failures.throwIfAny();
      const delivery = toDeliveryRecord(found(await this.deliveries.findById(tx, id)));
      return new Untagged(delivery, () => delivery);
    });
  }

  /** @throws NotFoundError if the delivery has been removed */
  async showDelivery(id: number): Promise<WebhookDeliveryRecord> {
    return toDeliveryRecord(found(await this.deliveries.read(id)));
  }

  /** A page of a webhook's deliveries, newest first. @throws ValidationError */
  async listDeliveries(webhookId: number, query: RawQuery): Promise<Listed<WebhookDeliveryRecord>> {
    const asked = parsePage(query);
    const { rows, total } = await this.deliveries.page(webhookId, readStatus(query), asked);
    return new Listed(rows.map(toDeliveryRecord), total, asked);
  }

  /** Runs a write to a webhook. The audit log entry for the write lists no fields. */
  private change<T>(
    scope: ProjectScope,
    submission: Submission<object>,
    action: 'rotate-secret' | 'test' | 'retry',
    work: (write: ProjectWrite, row: Webhook) => Promise<T>,
  ): Promise<T> {
    const id = scope.items.webhook?.id ?? 0;
    return this.writer.change(aboutWebhook(scope, id), submission, async (write) => {
      write.failures.throwIfAny();
      const row = found(await this.store.findById(write.tx, id));
      const result = await work(write, row);
      const note = { action, itemType: 'webhook', itemId: id, itemName: row.name, before: null, after: null };
      if (action === 'rotate-secret') {
        write.changed('webhooks', note);
      } else {
        write.noted(note);
      }
      return result;
    });
  }
}

/** The scope for a write to a webhook. `If-Match` refers to the webhook even if the path ends with a delivery. */
function aboutWebhook({ projectId, actor, ifMatch }: ProjectScope, id: number): WriteScope {
  const precondition = ifMatch === null ? {} : { precondition: { ifMatch, id, table: 'webhooks' } };
  return { projectId, author: actor, ...precondition };
}

function readStatus(query: RawQuery): string | null {
  const failures = new Failures();
  const status = singleValue(query, 'status', failures);
  const problem = status === null ? null : oneOf(DELIVERY_STATUSES)(status, 'status');
  if (typeof problem === 'string') {
    failures.add('status', problem);
  }
  failures.throwIfAny();
  return status;
}
