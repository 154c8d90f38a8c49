import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Listed, Renewed, Untagged } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import { ActionOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { ResourceController } from '../projects/resources/resource-controller';
import { WebhookDeliveryRecord } from './delivery.record';
import { deliveryPath } from './delivery.store';
import { DryRunSecretWebhookRecord, SecretWebhookRecord, WebhookAction } from './webhook.record';
import { WEBHOOKS } from './webhook-kind';
import {
  DeliveryListOperation,
  DeliveryOperation,
  RETRY_TEXT,
  ROTATE_TEXT,
  TEST_TEXT,
} from './webhooks.reference';
import { WebhooksService } from './webhooks.service';

export class WebhooksController extends ResourceController(WEBHOOKS) {}

/** Apart from the routes of all resources, which the reference lists first: inherited routes come after own ones. */
@ApiTags('Webhooks')
@Controller('projects/:project/webhooks/:webhook')
@InProject({ collection: 'webhooks', items: [WEBHOOKS.pathItem] })
export class WebhookActionsController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post('rotate')
  @HttpCode(200)
  @Can('project:settings')
  @ActionOperation(SecretWebhookRecord, WebhookAction, ROTATE_TEXT, { dryRun: DryRunSecretWebhookRecord })
  rotate(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Renewed<SecretWebhookRecord>> {
    return this.webhooks.rotate(scope, submission);
  }

  @Post('test')
  @HttpCode(200)
  @Can('project:settings')
  @DeliveryOperation(TEST_TEXT)
  test(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Untagged<WebhookDeliveryRecord>> {
    return this.webhooks.test(scope, submission);
  }
}

/** The messages of a webhook. */
@ApiTags('Webhooks')
@Controller('projects/:project/webhooks/:webhook/deliveries')
@InProject({ collection: 'webhooks', items: [WEBHOOKS.pathItem, deliveryPath], isLive: true })
export class WebhookDeliveriesController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Can('project:settings')
  @DeliveryListOperation()
  list(
    @InScope() { target }: ProjectScope,
    @Query() query: RawQuery,
  ): Promise<Listed<WebhookDeliveryRecord>> {
    return this.webhooks.listDeliveries(target.id, query);
  }

  @Post(':delivery/retry')
  @HttpCode(200)
  @Can('project:settings')
  @DeliveryOperation(RETRY_TEXT)
  retry(
    @InScope() scope: ProjectScope,
    @Submitted(WebhookAction) submission: Submission<WebhookAction>,
  ): Promise<Untagged<WebhookDeliveryRecord>> {
    return this.webhooks.retry(scope, submission);
  }
}
