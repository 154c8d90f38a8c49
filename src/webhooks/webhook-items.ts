import type { ProjectScope } from '../platform/access/scope';
import { Database } from '../database/database';
import { ExperimentAttachments } from '../projects/dependents';
import { ProjectItems } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import { AddressRules } from './address-rules';
import { DeliveryStore } from './delivery.store';
import type { CreateWebhook, UpdateWebhook, WebhookRecord } from './webhook.record';
import type { Webhook } from './webhook.entity';
import { webhooksWith } from './webhook-kind';

/** The webhooks in a project. Deleting a webhook also deletes its deliveries. */
export class WebhookItems extends ProjectItems<Webhook, WebhookRecord, CreateWebhook, UpdateWebhook> {
  constructor(
    database: Database,
    writer: ProjectWriter,
    attachments: ExperimentAttachments,
    rules: AddressRules,
    private readonly deliveries: DeliveryStore,
  ) {
    super(database, writer, attachments, webhooksWith(rules));
  }

  /**
   * Deletes finished deliveries first, in short transactions, because there can be many and a cascade would delete all
   * of them in one transaction. Pending deliveries are deleted with the webhook, so no message is lost if deleting the
   * webhook fails.
   */
  override async remove(scope: ProjectScope): Promise<void> {
    if (!this.database.isRollingBack) {
      await this.deliveries.removeFinished(scope.target.id);
    }
    await super.remove(scope);
  }
}
