import { Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { roleAllows } from '../../platform/access/roles';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { AccountPages } from '../../account/account-pages';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import { NotFoundError, UnauthorizedRoleError } from '../../common/errors/api-errors';
import { Tags } from '../../common/http/etag';
import { firstNumber, type RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import type { ProjectItems } from '../../projects/project-items';
import { ProjectsService } from '../../projects/projects.service';
import { deliveryPath } from '../../webhooks/delivery.store';
import type { Webhook } from '../../webhooks/webhook.entity';
import { WEBHOOKS } from '../../webhooks/webhook-kind';
import type { WebhookRecord } from '../../webhooks/webhook.record';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { type ConsoleForm } from '../forms/console-form';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { noticeIn } from '../notices';
import {
  ADD_WEBHOOK,
  DELETE_WEBHOOK,
  type DeliverySubject,
  EDIT_WEBHOOK,
  RETRY_DELIVERY,
  ROTATE_WEBHOOK,
  TEST_WEBHOOK,
  type WebhooksSubject,
  type WebhookSubject,
} from './webhook-forms';
import { renderWebhookPage, renderWebhooksPage } from './webhook-pages';

const PER_PAGE = 25;

/** A project's webhooks and their forms, for publishers and admins. */
@SignedIn()
@InProject({ collection: 'webhooks', items: [WEBHOOKS.pathItem, deliveryPath] })
@PageController('projects/:project')
export class WebhookPagesController {
  constructor(
    private readonly projects: ProjectsService,
    @Inject(WEBHOOKS.items) private readonly items: ProjectItems<Webhook, WebhookRecord>,
    private readonly webhooks: WebhooksService,
    private readonly forms: ConsoleForms,
    private readonly pages: AccountPages,
    private readonly tags: Tags,
  ) {}

  @Get('webhooks/')
  async list(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subject = await this.project(place);
    const { rows: webhooks } = await this.items.list(place, { sort: 'name' });
    const page = { subject, webhooks, notice: noticeIn(query) };
    this.pages.send(reply, 200, { session }, (frame) => renderWebhooksPage(frame, page));
  }

  @Get('webhooks/add/')
  async showAdd(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ADD_WEBHOOK, await this.project(place));
  }

  @PostForm('webhooks/add/')
  async add(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ADD_WEBHOOK, () => this.project(place));
  }

  @Get('webhooks/:webhook/')
  async showWebhook(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subject = await this.webhook(place);
    const part = await readPage(firstNumber(query, 'page') ?? 1, PER_PAGE, (page) =>
      this.webhooks.listDeliveries(subject.webhook.id, { page: String(page), per_page: String(PER_PAGE) }),
    );
    const shown = { subject, ...part, notice: noticeIn(query) };
    this.pages.send(reply, 200, { session }, (frame) => renderWebhookPage(frame, shown));
  }

  @Get('webhooks/:webhook/edit/')
  showEdit(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.show(visit, EDIT_WEBHOOK, place);
  }

  @PostForm('webhooks/:webhook/edit/')
  edit(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.forms.submit(visit, EDIT_WEBHOOK, () => this.webhook(place));
  }

  @Get('webhooks/:webhook/rotate/')
  showRotate(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.show(visit, ROTATE_WEBHOOK, place);
  }

  @PostForm('webhooks/:webhook/rotate/')
  rotate(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.forms.submit(visit, ROTATE_WEBHOOK, () => this.webhook(place));
  }

  @Get('webhooks/:webhook/test/')
  showTest(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.show(visit, TEST_WEBHOOK, place);
  }

  @PostForm('webhooks/:webhook/test/')
  test(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.forms.submit(visit, TEST_WEBHOOK, () => this.webhook(place));
  }

  @Get('webhooks/:webhook/delete/')
  showDelete(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.show(visit, DELETE_WEBHOOK, place);
  }

  @PostForm('webhooks/:webhook/delete/')
  remove(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.forms.submit(visit, DELETE_WEBHOOK, () => this.webhook(place));
  }

  @Get('webhooks/:webhook/deliveries/:delivery/retry/')
  async showRetry(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, RETRY_DELIVERY, await this.delivery(place));
  }

  @PostForm('webhooks/:webhook/deliveries/:delivery/retry/')
  retry(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    return this.forms.submit(visit, RETRY_DELIVERY, () => this.delivery(place));
  }

  private async show(
    visit: FormVisit,
    form: ConsoleForm<WebhookSubject>,
    place: ProjectPlace,
  ): Promise<void> {
    this.forms.show(visit, form, await this.webhook(place));
  }

  /** @throws UnauthorizedRoleError for users who are not allowed to see webhooks */
  private async project(place: ProjectPlace): Promise<WebhooksSubject> {
    if (!roleAllows(place.role, 'project:settings')) {
      throw new UnauthorizedRoleError(place.role, 'project:settings');
    }
    const { record: project } = await this.projects.show(place);
    return { role: place.role, project };
  }

  private async webhook(place: ProjectPlace): Promise<WebhookSubject> {
    const subject = await this.project(place);
    const target = place.items.webhook;
    if (target === undefined) {
      throw new NotFoundError();
    }
    const { record: webhook, version } = await this.items.show({ ...place, target });
    return { ...subject, webhook, etag: this.tags.record(webhook.id, version) };
  }

  private async delivery(place: ProjectPlace): Promise<DeliverySubject> {
    const subject = await this.webhook(place);
    return { ...subject, delivery: await this.webhooks.showDelivery(place.target.id) };
  }
}
