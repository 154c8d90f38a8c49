import { Injectable } from '@nestjs/common';
import { chunksOf } from '../common/lists/collections';
import { dayOf, nowMicros } from '../common/time/clock';
import { Attribution } from '../events/attribution-steps';
import { ImportWriter } from '../events/import/import-writer';
import { TRAFFIC } from './demo-traffic';
import { Exposed, visits } from './demo-visits';

const BATCH = 2_000;

/** Generates events from the past weeks for the demo experiments. */
@Injectable()
export class DemoEvents {
  constructor(
    private readonly writer: ImportWriter,
    private readonly attribution: Attribution,
  ) {}

  /** Stores and attributes the events of the demo experiments. */
  async fill(projectId: number, experiments: readonly (Exposed & { name: string })[]): Promise<void> {
    const today = dayOf(nowMicros());
    for (const traffic of TRAFFIC) {
      const experiment = experiments.find(({ name }) => name === traffic.experiment);
      if (experiment !== undefined) {
        await this.store(projectId, visits(traffic, experiment, today));
      }
    }
    await this.attribution.drain();
  }

  private async store(projectId: number, messages: readonly object[]): Promise<void> {
    for (const batch of chunksOf(messages, BATCH)) {
      const {
        receipt: { rejected },
      } = await this.writer.store(projectId, batch);
      if (rejected.length > 0) {
        throw new Error(`The server rejected the demo events: ${rejected[0]?.reason}.`);
      }
    }
  }
}
