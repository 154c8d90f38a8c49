import { Injectable } from '@nestjs/common';
import { Micros, nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import type { VisitorsChange } from './attribution-steps';
import { CellStore } from './cells.store';
import type { CountingRules, Seen } from './counting-rules';
import type { Exclusions } from './exclusions/excluded';
import { hasNewLink, WholeVisitor } from './links/linked-ids';
import { ResultState, ResultStates } from './result-states.store';
import { changesOf, joined, removalOf, rulesOf, seenIn, sumUp, VisitorChanges } from './visitor-changes';

/** The changes that one transaction makes to an experiment's results. */
export interface ResultChange {
  shown: VisitorsChange;
  /**
   * Changes from visitors whom the rebuild has already counted; null if there is no rebuild. The rebuild counts all
   * other visitors later.
   */
  rebuild: VisitorsChange | null;
  /** The time span of the events that the step has processed, including events that do not count. */
  seen: Seen | undefined;
  /** Whether to recount the results if their first or last event no longer counts. */
  recountsIfShorter: boolean;
  /** When visitors were excluded, included again or deleted; null if the change has a different cause. */
  revisedAt: Micros | null;
}

/** Applies changes to cells and to result states. */
export class ResultChanges {
  constructor(
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  async apply(tx: Tx, state: ResultState, change: ResultChange): Promise<void> {
    const { shown, rebuild, seen, recountsIfShorter, revisedAt } = change;
    await this.applyToShown(tx, state, shown, revisedAt);
    if (rebuild !== null && state.rebuild !== null) {
      await this.cells.add(tx, state.rebuild.generation, rebuild.cells);
      await this.states.noteRebuild(tx, state.experimentId, state.rebuild.to, rebuild.span);
    }
    await this.noteSeen(tx, state, seen);
    if (recountsIfShorter && (shown.isShorter || rebuild?.isShorter === true)) {
      await this.states.requestRecount(tx, state.experimentId);
    }
  }

  private async applyToShown(
    tx: Tx,
    { experimentId, shown }: ResultState,
    { cells, span }: VisitorsChange,
    revisedAt: Micros | null,
  ): Promise<void> {
    await this.cells.add(tx, shown.generation, cells);
    const isLonger = span.first !== shown.span.first || span.last !== shown.span.last;
    if (cells.length > 0 || isLonger) {
      await this.states.note(tx, experimentId, span);
    }
    if (cells.length > 0 && revisedAt !== null && revisedAt >= (shown.rules.finalAt ?? Infinity)) {
      await this.states.noteRevision(tx, experimentId, revisedAt);
    }
  }

  private async noteSeen(tx: Tx, { experimentId, seen }: ResultState, own: Seen | undefined): Promise<void> {
    const all = own === undefined ? seen : joined(seen, own);
    if (all.first !== seen.first || all.last !== seen.last) {
      await this.states.noteSeen(tx, experimentId, all);
    }
  }
}

type ChangesBy = (rules: ReadonlyMap<number, CountingRules>) => VisitorChanges;

interface Update {
  changesBy: ChangesBy;
  /** The time spans of the events that an attribution step has processed, by experiment. */
  seen: ReadonlyMap<number, Seen>;
  recountsIfShorter: boolean;
  /** When visitors were excluded, included again or deleted; null if the update has a different cause. */
  revisedAt: Micros | null;
}

/** Applies visitor changes to the current cells, and to the cells that a running rebuild has already filled. */
@Injectable()
export class ResultUpdates {
  private readonly changes: ResultChanges;

  constructor(
    cells: CellStore,
    private readonly states: ResultStates,
  ) {
    this.changes = new ResultChanges(cells, states);
  }

  /**
   * Updates results with the visitors' events, links and exclusions. A link to an excluded visitor can take the first or
   * last event away from a result, which is then recounted in the background. The command that excludes visitors
   * rebuilds such results itself.
   */
  async attribute(tx: Tx, visitors: readonly WholeVisitor[], exclusions: Exclusions): Promise<void> {
    const seen = seenIn(visitors);
    const now = nowMicros();
    const states = await this.states.settleChangeable(tx, [...seen.keys()], now);
    const changesBy: ChangesBy = (rules) => changesOf(visitors, exclusions, rules);
    const recountsIfShorter = !exclusions.isEmpty && visitors.some(hasNewLink);
    const revisedAt = exclusions.areUnsettled ? now : null;
    await this.apply(tx, states, { changesBy, seen, recountsIfShorter, revisedAt });
  }

  /**
   * Removes visitors from the results, as if they had never visited. If one of the visitors had a result's first or
   * last event, the result is recounted in the background, because only the remaining events determine the new first or
   * last event.
   */
  async remove(tx: Tx, visitors: readonly WholeVisitor[], exclusions: Exclusions): Promise<void> {
    const now = nowMicros();
    const states = await this.states.settleChangeable(tx, [...seenIn(visitors).keys()], now);
    const changesBy: ChangesBy = (rules) => removalOf(visitors, exclusions, rules);
    await this.apply(tx, states, { changesBy, seen: new Map(), recountsIfShorter: true, revisedAt: now });
  }

  private async apply(
    tx: Tx,
    states: readonly ResultState[],
    { changesBy, seen, recountsIfShorter, revisedAt }: Update,
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
        recountsIfShorter,
        revisedAt,
      });
    }
  }
}

const NO_CHANGES: VisitorChanges = { before: [], after: [] };
