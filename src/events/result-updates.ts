import { Injectable } from '@nestjs/common';
import { Micros, nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { CellStore } from './cells.store';
import type { CountingRules, Seen } from './counting-rules';
import type { Exclusions } from './exclusions/excluded';
import type { WholeVisitor } from './links/linked-ids';
import { ResultChanges } from './result-changes';
import { ResultState, ResultStates } from './result-states.store';
import { changesOf, reachesEnd, removalOf, rulesOf, seenIn, sumUp, VisitorChanges } from './visitor-changes';

type ChangesBy = (rules: ReadonlyMap<number, CountingRules>) => VisitorChanges;

interface Update {
  changesBy: ChangesBy;
  /** The time spans of the events that an attribution has processed, by experiment. */
  seen: ReadonlyMap<number, Seen>;
  /** When people changed the results; null for an attribution of events. */
  revisedAt: Micros | null;
}

/** Applies changes of visitors to the current cells, and to the cells that a running rebuild has already filled. */
@Injectable()
export class ResultUpdates {
  private readonly changes: ResultChanges;

  constructor(
    cells: CellStore,
    private readonly states: ResultStates,
  ) {
    this.changes = new ResultChanges(cells, states);
  }

  /** Adds the effect of visitors' events, links and exclusions. */
  async attribute(tx: Tx, visitors: readonly WholeVisitor[], exclusions: Exclusions): Promise<void> {
    const seen = seenIn(visitors);
    const now = nowMicros();
    const states = await this.states.settleChangeable(tx, [...seen.keys()], now);
    const changesBy: ChangesBy = (rules) => changesOf(visitors, exclusions, rules);
    await this.apply(tx, states, { changesBy, seen, revisedAt: exclusions.areUnsettled ? now : null });
  }

  /**
   * Removes visitors from the results, as if they had never come. Results whose first or last event was theirs are
   * recounted in the background, because only the remaining events determine the new first or last one.
   */
  async remove(tx: Tx, visitors: readonly WholeVisitor[], exclusions: Exclusions): Promise<void> {
    const now = nowMicros();
    const states = await this.states.settleChangeable(tx, [...seenIn(visitors).keys()], now);
    const changesBy: ChangesBy = (rules) => removalOf(visitors, exclusions, rules);
    await this.apply(tx, states, { changesBy, seen: new Map(), revisedAt: now });
    const shown = changesBy(rulesOf(states, 'shown'));
    const rebuilt = changesBy(rulesOf(states, 'rebuild'));
    for (const { experimentId, shown: current, rebuild } of states) {
      const isRebuildConcerned = rebuild !== null && reachesEnd(experimentId, rebuild.span, rebuilt);
      if (isRebuildConcerned || reachesEnd(experimentId, current.span, shown)) {
        await this.states.requestRecount(tx, experimentId);
      }
    }
  }

  private async apply(
    tx: Tx,
    states: readonly ResultState[],
    { changesBy, seen, revisedAt }: Update,
  ): Promise<void> {
    const shown = changesBy(rulesOf(states, 'shown'));
    const isRebuilding = states.some(({ rebuild }) => rebuild !== null);
    const rebuilt = isRebuilding ? changesBy(rulesOf(states, 'rebuild')) : NO_CHANGES;
    for (const state of states) {
      const { experimentId, rebuild } = state;
      const { to, span } = rebuild ?? { to: '', span: state.shown.span };
      await this.changes.apply(tx, state, {
        shown: sumUp(experimentId, state.shown.span, shown),
        rebuild: rebuild && sumUp(experimentId, span, rebuilt, (visitorId) => visitorId <= to),
        seen: seen.get(experimentId),
        revisedAt,
      });
    }
  }
}

const NO_CHANGES: VisitorChanges = { before: [], after: [] };
