import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { difference } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import type { DueDelivery } from './delivery.store';
import { toWebhookRecord } from './webhook.record';
import { WebhookStore } from './delivery.store';

/** A webhook with the URL to which a request was sent. */
type CalledWebhook = Pick<DueDelivery, 'webhook_id' | 'project_id' | 'url'>;

/** Disables webhooks whose receiver no longer exists. */
@Injectable()
export class WebhookSwitch {
  constructor(
    private readonly database: Database,
    private readonly writer: ProjectWriter,
    private readonly store: WebhookStore,
  ) {}

  /** Whether the webhook still has this URL. A response from a previous URL says nothing about the current one. */
  async hasAddress({ webhook_id, url }: CalledWebhook): Promise<boolean> {
    return (await this.store.findById(this.database.read, webhook_id))?.url === url;
  }

  /**
   * Disables the webhook. Does nothing if the webhook is already disabled or deleted, or if it now has a different URL.
   */
  turnOff({ project_id: projectId, webhook_id: webhookId, url }: CalledWebhook): Promise<void> {
    return this.writer.change({ projectId, author: 'server' }, null, async (write) => {
      const row = await this.store.findById(write.tx, webhookId);
      if (row?.is_active !== true || row.url !== url) {
        return;
      }
      const changes = { is_active: false, updated_at: write.now };
      await this.store.update(write.tx, webhookId, changes);
      write.changed('webhooks', {
        action: 'update',
        itemType: 'webhook',
        itemId: webhookId,
        ...difference(toWebhookRecord(row), toWebhookRecord({ ...row, ...changes })),
      });
    });
  }
}
