import { Injectable } from '@nestjs/common';
import { difference } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import { toWebhookRecord } from './webhook.record';
import { WebhookStore } from './webhook.store';

/** Switches webhooks off whose receiver is gone. */
@Injectable()
export class WebhookSwitch {
  constructor(
    private readonly writer: ProjectWriter,
    private readonly store: WebhookStore,
  ) {}

  /** Does nothing if it is off or deleted. */
  turnOff(projectId: number, webhookId: number): Promise<void> {
    return this.writer.change({ projectId, author: 'server' }, null, async (write) => {
      const row = await this.store.findById(write.tx, webhookId);
      if (row?.is_active !== true) {
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
