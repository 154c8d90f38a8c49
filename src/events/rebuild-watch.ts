import type { CurrentRebuild } from './rebuild.store';

/** Watches the progress of rebuilds, in order to find those whose process seems to have ended. */
export class RebuildWatch {
  /** By experiment. Since when (`performance.now`) a step is the latest; `-Infinity` for steps of this process. */
  private latest: ReadonlyMap<number, { step: string; since: number }> = new Map();

  /** The rebuilds without progress for at least `afterMs` milliseconds, and those whose latest step is by this process. */
  stalled(rebuilds: readonly CurrentRebuild[], afterMs: number): CurrentRebuild[] {
    this.note(rebuilds);
    const before = performance.now() - afterMs;
    return rebuilds.filter(
      ({ experimentId }) => (this.latest.get(experimentId)?.since ?? Infinity) <= before,
    );
  }

  /** Notes the latest steps. @param own the experiments whose latest step is by this process */
  note(rebuilds: readonly CurrentRebuild[], own: readonly number[] = []): void {
    const now = performance.now();
    this.latest = new Map(
      rebuilds.map(({ experimentId, step }) => {
        const known = this.latest.get(experimentId);
        const since = known?.step === step ? known.since : now;
        return [experimentId, { step, since: own.includes(experimentId) ? -Infinity : since }];
      }),
    );
  }
}
