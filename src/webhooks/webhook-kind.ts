import type { ProjectScope } from '../platform/access/scope';
import { Created } from '../common/http/answers';
import type { Failures } from '../common/validation/failures';
import { Database } from '../database/database';
import { ExperimentAttachments } from '../projects/dependents';
import { ProjectItems } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import { References } from '../projects/resources/references';
import { defineResource } from '../projects/resources/resource';
import { AddressRules } from './address-rules';
import { DeliveryStore } from './delivery.store';
import { newSecret } from './signature';
import {
  CreateWebhook,
  DryRunNewWebhookRecord,
  SecretWebhookRecord,
  toWebhookRecord,
  UpdateWebhook,
  WebhookRecord,
  withoutPath,
} from './webhook.record';
import { Webhook } from './webhook.entity';

/**
 * Webhooks have the routes of a standard resource, with some differences. Only publishers may see them, and they
 * require more than a name. They are not part of a project's definition, so copies of a project do not send messages.
 */
export const WEBHOOKS = defineResource({
  type: 'webhook',
  collection: 'webhooks',
  entity: Webhook,
  record: WebhookRecord,
  toRecord: toWebhookRecord,
  permission: 'project:settings',
  audited: withoutPath,
  tools: false,
  texts: {
    chapter: 'Notify other systems about events in a project.',
    purpose: `A webhook sends the events of a project to a URL, each as a POST request with a signed message. URLs may be secret, so only publishers and admins can see webhooks.`,
  },
  writes: {
    create: CreateWebhook,
    update: UpdateWebhook,
    newColumns: (fields) => ({
      url: fields.url ?? '',
      events: fields.events ?? [],
      format: fields.format ?? 'json',
      is_active: fields.is_active ?? true,
      secret: newSecret(),
      previous_secret: null,
      previous_secret_until: null,
      lock_version: 0,
    }),
    created: {
      record: SecretWebhookRecord,
      dryRun: DryRunNewWebhookRecord,
      answer(row: Webhook): Created<SecretWebhookRecord> {
        const kept = { ...toWebhookRecord(row), secret: null };
        const unstored = (record: SecretWebhookRecord): object => ({ ...record, id: null });
        return new Created<SecretWebhookRecord>({ ...kept, secret: row.secret }, 1, unstored, row.id, kept);
      },
    },
    texts: {
      create: `Creates a webhook. The response contains the secret. It is shown only once, so store it where the receiver runs. Private, loopback and link-local addresses are rejected, unless the operator allows them with \`WEBHOOK_ALLOW\`.`,
      update: `Pending messages are sent to the new address. To change the secret, rotate it.`,
      remove: `Deletes the webhook with its deliveries, including pending ones.`,
    },
  },
});

/** `WEBHOOKS` with the rules for addresses, which depend on the configuration. */
function webhooksWith(rules: AddressRules): typeof WEBHOOKS {
  const { writes } = WEBHOOKS;
  const check = ({ url }: UpdateWebhook, failures: Failures): void => {
    const problem = url === undefined ? null : rules.problemOf(url);
    if (problem !== null) {
      failures.add('url', problem);
    }
  };
  return {
    ...WEBHOOKS,
    writes: {
      ...writes,
      newColumns(fields, context) {
        check(fields, context.failures);
        return writes.newColumns(fields, context);
      },
      changedColumns(fields, _, { failures }) {
        check(fields, failures);
        return fields;
      },
    },
  };
}

/** The webhooks in a project. Deleting a webhook also deletes its deliveries. */
export class WebhookItems extends ProjectItems<Webhook, WebhookRecord, CreateWebhook, UpdateWebhook> {
  constructor(
    database: Database,
    writer: ProjectWriter,
    attachments: ExperimentAttachments,
    references: References,
    rules: AddressRules,
    private readonly deliveries: DeliveryStore,
  ) {
    super(database, writer, attachments, references, webhooksWith(rules));
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
