import { Module, type Provider } from '@nestjs/common';
import { Database } from '../database/database';
import { ExperimentAttachments } from '../projects/dependents';
import { ProjectWriter } from '../projects/project-writer';
import { References } from '../projects/resources/references';
import { ProjectWritesModule } from '../projects/projects.module';
import { AddressRules } from './address-rules';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliverySender } from './delivery-sender';
import { DeliveryStore, WebhookStore } from './delivery.store';
import { DeliveryWorker } from './delivery-worker';
import { HostLookup } from './host-lookup';
import { OutboxModule } from './outbox';
import { RetrySchedule } from './retry-schedule';
import { WebhookClient } from './webhook-client';
import { WebhookItems, WEBHOOKS } from './webhook-kind';
import { WebhookSwitch } from './webhook-switch';
import {
  WebhookActionsController,
  WebhookDeliveriesController,
  WebhooksController,
} from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

const items: Provider = {
  provide: WEBHOOKS.items,
  useFactory: (
    database: Database,
    writer: ProjectWriter,
    attachments: ExperimentAttachments,
    references: References,
    rules: AddressRules,
    deliveries: DeliveryStore,
  ) => new WebhookItems(database, writer, attachments, references, rules, deliveries),
  inject: [Database, ProjectWriter, ExperimentAttachments, References, AddressRules, DeliveryStore],
};

/** The webhook routes. */
@Module({
  imports: [ProjectWritesModule, OutboxModule],
  controllers: [WebhooksController, WebhookActionsController, WebhookDeliveriesController],
  providers: [items, AddressRules, DeliveryStore, WebhookStore, WebhooksService],
  exports: [items, DeliveryStore, WebhooksService],
})
export class WebhooksModule {}

/** Sends webhook messages, in server and worker processes. */
@Module({
  imports: [ProjectWritesModule],
  providers: [
    AddressRules,
    DeliveryMetrics,
    DeliverySender,
    DeliveryStore,
    DeliveryWorker,
    HostLookup,
    RetrySchedule,
    WebhookClient,
    WebhookStore,
    WebhookSwitch,
  ],
})
export class WebhookDeliveryModule {}
