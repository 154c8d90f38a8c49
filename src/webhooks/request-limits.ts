import type { DueDelivery } from './delivery.store';
import { TEST_LANE } from './webhook.entity';

/** Maximum number of concurrent requests per webhook, so that a slow receiver does not block other receivers. */
const MAX_OF_WEBHOOK = 4;
/**
 * The lower limit after a failed request, so that several unresponsive receivers together do not block other receivers.
 */
const MAX_OF_FAILING = 1;

/** A running request. */
export type RunningRequest = Pick<DueDelivery, 'webhook_id' | 'team_id' | 'lane'>;

/**
 * The concurrent requests of this process. A team's requests cannot exceed the requests that are still free, so the
 * receivers of one team do not block those of other teams, however many there are. The limits per webhook do not apply
 * to tests, because a user is waiting for them.
 */
export class RequestLimits {
  private readonly ofWebhook = new Map<number, number>();
  private readonly ofTeam = new Map<number, number>();

  /** @param free the number of further requests @param failing the webhooks whose last request failed */
  constructor(
    running: readonly RunningRequest[],
    private free: number,
    private readonly failing: ReadonlySet<number>,
  ) {
    running.forEach((request) => this.count(request));
  }

  /** The webhooks that have reached their limit. */
  get busyWebhooks(): number[] {
    return [...this.ofWebhook.keys()].filter((id) => !this.webhookHasRoom(id));
  }

  /** The teams that have reached their limit. */
  get busyTeams(): number[] {
    return [...this.ofTeam.keys()].filter((id) => !this.teamHasRoom(id));
  }

  /** Counts one more request if the limits allow it. @returns whether the request was counted */
  start(request: RunningRequest): boolean {
    const { webhook_id, team_id, lane } = request;
    const hasRoom = this.teamHasRoom(team_id) && (lane === TEST_LANE || this.webhookHasRoom(webhook_id));
    if (hasRoom) {
      this.count(request);
      this.free -= 1;
    }
    return hasRoom;
  }

  private count({ webhook_id, team_id, lane }: RunningRequest): void {
    increment(this.ofTeam, team_id);
    if (lane !== TEST_LANE) {
      increment(this.ofWebhook, webhook_id);
    }
  }

  private teamHasRoom(id: number): boolean {
    return (this.ofTeam.get(id) ?? 0) < this.free;
  }

  private webhookHasRoom(id: number): boolean {
    return (this.ofWebhook.get(id) ?? 0) < (this.failing.has(id) ? MAX_OF_FAILING : MAX_OF_WEBHOOK);
  }
}

const increment = (counts: Map<number, number>, id: number): void => {
  counts.set(id, (counts.get(id) ?? 0) + 1);
};
