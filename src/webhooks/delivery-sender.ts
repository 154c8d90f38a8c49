import { Injectable, Logger } from '@nestjs/common';
import { nowMicros, type Micros } from '../common/time/clock';
import { Config } from '../config/config';
import { VERSION } from '../config/version';
import { Database } from '../database/database';
import { plainName } from '../presentation/text/words';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveryStore, DueDelivery, LEASE_MICROS } from './delivery.store';
import { RequestLimits, type RunningRequest } from './request-limits';
import { RetrySchedule } from './retry-schedule';
import { signatureHeaders } from './signature';
import { Outcome, SignedMessage, WebhookClient } from './webhook-client';
import type { NamedRef } from './webhook-events';
import { WebhookSwitch } from './webhook-switch';
import { TEST_LANE } from './webhook.entity';

/** The stored body of a message. */
export interface EventBody {
  type: string;
  timestamp: string;
  data: Record<string, unknown> & { project_id: number; experiment?: NamedRef | null };
}

/** Text on one line, escaped so that names cannot become links or mentions such as `<!channel>`. */
const escaped = (text: string): string =>
  plainName(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const nameOf = (ref: unknown): string => escaped((ref as NamedRef).name);

const SENTENCES: Readonly<Record<string, (data: EventBody['data']) => string>> = {
  'experiment.started': () => 'was started.',
  'experiment.paused': ({ status }) =>
    status === 'preview' ? 'was moved to preview and no longer runs.' : 'was paused.',
  'experiment.archived': () => 'was archived.',
  'experiment.schedule_refused': ({ move, message }) =>
    `could not be ${move === 'running' ? 'started' : 'ended'} as scheduled: ${escaped(String(message))}`,
  'experiment.verdict': ({ goal, variation, verdict, previous_verdict }) =>
    `has a new verdict on ${nameOf(variation)} for ${nameOf(goal)}: ${escaped(String(verdict))} (previously ${escaped(String(previous_verdict))}).`,
  'experiment.sample_ratio_mismatch': ({ detected }) =>
    detected === true ? 'has a sample ratio mismatch.' : 'no longer has a sample ratio mismatch.',
  'experiment.guardrail': ({ goal, variation }) =>
    `tripped a guardrail: ${nameOf(variation)} is significantly worse for ${nameOf(goal)}.`,
  'project.published': ({ revision }) => `published revision ${Number(revision)}.`,
  'snippet.errors': ({ count, since }) =>
    `has had ${Number(count)} snippet errors since ${escaped(String(since))}.`,
  'webhook.test': () => 'sent a test of this webhook.',
};

/** The message for Slack as one line of mrkdwn. @param publicUrl the public URL of this server */
function slackText({ type, data }: EventBody, publicUrl: string): string {
  const project = `${publicUrl}/projects/${data.project_id}`;
  const subject =
    data.experiment === undefined || data.experiment === null
      ? `<${project}|Project ${data.project_id}>`
      : `<${project}/experiments/${data.experiment.id}|${nameOf(data.experiment)}>`;
  return `${subject} ${SENTENCES[type]?.(data) ?? escaped(type)}`;
}

/** The response status with which a receiver declines further messages. */
const GONE = 410;

/** Sends due deliveries, each at least once. Deliveries for the same experiment are sent in order. */
@Injectable()
export class DeliverySender {
  private readonly logger = new Logger('Webhooks');
  /** The webhooks whose last request from this process failed. */
  private readonly failing = new Set<number>();

  constructor(
    private readonly database: Database,
    private readonly store: DeliveryStore,
    private readonly client: WebhookClient,
    private readonly schedule: RetrySchedule,
    private readonly webhooks: WebhookSwitch,
    private readonly metrics: DeliveryMetrics,
    private readonly config: Config,
  ) {}

  /**
   * Claims deliveries that are due. Only the first pending delivery of a lane can be due, so a lane is never sent by
   * two processes or out of order. A webhook has only one test at a time, because tests share a lane.
   * @param free the number of further requests that may run
   */
  async claim(
    free: number,
    running: readonly RunningRequest[],
    now: Micros = nowMicros(),
  ): Promise<DueDelivery[]> {
    const limits = new RequestLimits(running, free, this.failing);
    const found = await this.store.due(now, free, limits.busyWebhooks, limits.busyTeams);
    const due = found.filter((delivery) => limits.start(delivery));
    if (due.length === 0) {
      return [];
    }
    return this.database.transaction(async (tx) => {
      const claimed: DueDelivery[] = [];
      for (const delivery of due) {
        if (await this.store.claim(tx, delivery, now + LEASE_MICROS)) {
          claimed.push({ ...delivery, lock_version: delivery.lock_version + 1 });
        }
      }
      return claimed;
    });
  }

  /** Sends a claimed delivery, and stores the outcome. */
  async deliver(delivery: DueDelivery, clock: () => Micros = nowMicros): Promise<void> {
    const outcome = await this.client.send(delivery.url, this.messageOf(delivery, clock()));
    this.note(delivery.webhook_id, outcome);
    const isGone = outcome.status === GONE && (await this.webhooks.hasAddress(delivery));
    const result = this.resultOf(delivery, outcome, isGone, clock());
    const isStored = await this.database.transaction((tx) => this.store.finish(tx, delivery, result));
    if (!isStored) {
      return;
    }
    this.metrics.count(result.status === 'pending' ? 'failed' : result.status);
    if (result.status === 'dead') {
      const { id, webhook_id: webhookId } = delivery;
      this.logger.warn(
        `Delivery ${id} of webhook ${webhookId} is dead after the last attempt: ${outcome.error ?? ''}`,
      );
    }
    if (isGone && delivery.lane !== TEST_LANE) {
      await this.webhooks.turnOff(delivery);
    }
  }

  private note(webhookId: number, { error }: Outcome): void {
    if (error === null) {
      this.failing.delete(webhookId);
    } else {
      this.failing.add(webhookId);
    }
  }

  private messageOf(delivery: DueDelivery, now: Micros): SignedMessage {
    const { format, message_id } = delivery;
    const body =
      format === 'slack'
        ? JSON.stringify({ text: slackText(JSON.parse(delivery.body) as EventBody, this.config.publicUrl) })
        : delivery.body;
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Gosset/${VERSION}`,
      ...signatureHeaders(delivery, message_id, body, now),
    };
    return { headers, body };
  }

  private resultOf({ tries: before, lane }: DueDelivery, outcome: Outcome, isGone: boolean, now: Micros) {
    const tries = before + 1;
    const { status: response_status, error, retryAfter } = outcome;
    const tried = { tries, response_status, error };
    if (error === null) {
      return { ...tried, status: 'delivered' as const, next_try_at: now, delivered_at: now };
    }
    const isLast = lane === TEST_LANE || isGone;
    const wait = isLast ? null : this.schedule.waitAfter(tries, retryAfter);
    return wait === null
      ? { ...tried, status: 'dead' as const, next_try_at: now, delivered_at: null }
      : { ...tried, status: 'pending' as const, next_try_at: now + wait, delivered_at: null };
  }
}
