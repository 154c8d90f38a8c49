import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../common/errors/api-errors';
import type { Day, Micros } from '../common/time/clock';
import { alphaOf } from '../statistics/multiple-testing';
import { AgeRow, ageRows, EntryCells, EntryRows, WeekRow, weekRows } from './entry-series';
import { countedGoal, shownDays } from './result-filter';
import { ExperimentFactsReader } from './experiment-facts.store';
import type { ResultFilter } from './experiment-results';
import { ResultCells } from './result-cells.store';
import { NoResultError } from './results.service';

interface Entries {
  given: EntryCells;
  /** The days of the series, ascending. */
  days: Day[];
}

/**
 * A goal's series by day since entry, or by week of entry. Reads only cells, whose number grows with the number of
 * entry and event days, not with the number of events. Every method throws NotFoundError if the goal is not attached to
 * the experiment, and NoResultError if the experiment has never had a participant.
 */
@Injectable()
export class EntrySeries {
  constructor(
    private readonly facts: ExperimentFactsReader,
    private readonly cells: ResultCells,
  ) {}

  /** The series by day since entry. */
  async byAge(experimentId: number, goalId: number, filter: ResultFilter, asOf: Micros): Promise<AgeRow[]> {
    return agesIn(await this.read(experimentId, goalId, filter, asOf));
  }

  /** The series by week of entry. */
  async byWeek(experimentId: number, goalId: number, filter: ResultFilter, asOf: Micros): Promise<WeekRow[]> {
    return weeksIn(await this.read(experimentId, goalId, filter, asOf));
  }

  /** Both series. @param mostAges the maximum number of days since entry, counted from the first */
  async both(
    experimentId: number,
    goalId: number,
    filter: ResultFilter,
    asOf: Micros,
    mostAges: number,
  ): Promise<EntryRows> {
    const entries = await this.read(experimentId, goalId, filter, asOf);
    return { ages: await agesIn(entries, mostAges), weeks: await weeksIn(entries) };
  }

  private async read(
    experimentId: number,
    goalId: number,
    filter: ResultFilter,
    asOf: Micros,
  ): Promise<Entries> {
    const facts = await this.facts.read(experimentId, asOf);
    const goal = facts.goals.find(({ id }) => id === goalId);
    if (goal === undefined) {
      throw new NotFoundError();
    }
    const cells = await this.cells.byEntryDay(experimentId, countedGoal(goal, filter, asOf), filter);
    if (!facts.hasResults) {
      throw new NoResultError();
    }
    const alpha = alphaOf(facts.settings.significance);
    return { given: { facts, goal, cells, alpha }, days: shownDays(facts, filter, asOf) };
  }
}

async function agesIn({ given, days }: Entries, most?: number): Promise<AgeRow[]> {
  const last = days.at(-1);
  return last === undefined ? [] : ageRows(given, last, most);
}

const weeksIn = ({ given, days }: Entries): Promise<WeekRow[]> => weekRows(given, days);
