import { v7 as newId } from 'uuid';
import type { Delivery } from './delivery';
import type { EventQueue } from './event-queue';
import type { Visitor } from './visitor';

const LIBRARY = { name: 'gosset.js' };
const EXPOSURE = 'Experiment Viewed';

/** What is told to the server, in the shape of Segment's HTTP API. */
export class Messages {
  private isOver = false;

  constructor(
    private readonly visitor: Visitor,
    private readonly queue: EventQueue,
    private readonly delivery: Delivery,
  ) {}

  exposure(experiment: number, variation: number, phase?: number): void {
    this.send('track', { experiment_id: experiment, variation_id: variation, phase }, EXPOSURE);
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

  /** Drops what is waiting and what is still to come. */
  end(): void {
    this.isOver = true;
    this.delivery.clear();
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
