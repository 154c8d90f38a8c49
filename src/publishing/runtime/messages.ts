import { newId } from './ids';
import { EXPOSURE } from '../../events/exposure';
import { type Delivery, exposuresIn } from './delivery';
import type { EventQueue, WaitingEvents } from './event-queue';
import type { Visitor } from './visitor';

const LIBRARY = { name: 'gosset.js' };

/** Messages for the server, in the format of Segment's HTTP API. */
export class Messages {
  private isOver = false;

  constructor(
    private readonly visitor: Visitor,
    private readonly queue: EventQueue,
    private readonly delivery: Delivery,
  ) {}

  /** @returns false if an earlier page reported the exposure and that report is still waiting to be sent */
  exposure(experiment: number, variation: number, phase: number): boolean {
    const { id } = this.visitor;
    const isWaiting = exposuresIn(this.queue.waiting()).some(
      (each) => each.visitor === id && each.experiment === experiment && each.variation === variation,
    );
    if (!isWaiting) {
      this.send('track', { experiment_id: experiment, variation_id: variation, phase }, EXPOSURE);
    }
    return !isWaiting;
  }

  /** Called when the server has accepted messages from this page or from an earlier one. */
  accepted(events: WaitingEvents): void {
    this.visitor.exposuresAcknowledged(exposuresIn(events));
  }

  conversion(event: string, value?: unknown): void {
    this.send('track', { value }, event);
  }

  pageView(url: string): void {
    this.send('page', { url });
  }

  error(properties: object): void {
    this.send('error', properties);
  }

  /** Drops all further messages. */
  end(): void {
    this.isOver = true;
  }

  private send(type: string, properties: object, event?: string): void {
    if (this.isOver) {
      return;
    }
    const messageId = newId();
    const message = {
      type,
      event,
      anonymousId: this.visitor.id,
      messageId,
      timestamp: new Date().toISOString(),
      properties,
      context: { library: LIBRARY },
    };
    this.queue.add(messageId, JSON.stringify(message));
    this.delivery.sendSoon();
  }
}
