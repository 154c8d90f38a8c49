import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../platform/access/scope';
import { found } from '../common/errors/api-errors';
import type { RawQuery } from '../common/lists/list-query';
import { type Micros, SECOND_MICROS } from '../common/time/clock';
import type { ExperimentRecord } from '../experiments/experiment.record';
import { InstallationService } from '../projects/installation/installation.service';
import { WaitingEvents } from '../results/result-sources.store';
import type { SnippetSeen } from '../sharing/share-model';
import { Shares } from '../sharing/shares';
import { TeamResults, type TeamView } from '../sharing/team-results';
import { ExperimentSubject, ExperimentSubjects } from './experiment-subject';
import { NextStepReader } from './next-step-reader';
import type { NextStep } from './next-steps';
import { resultState, type ResultState } from './result-state';
import type { Advice } from './step-advice';

/** Attribution normally takes seconds, so a longer delay is reported. */
const LONG_MICROS = 60 * SECOND_MICROS;

/** The data of an experiment's page. */
export interface ExperimentView extends ExperimentSubject {
  results: TeamView;
  /** Null if the results are not shared. */
  shareUrl: string | null;
  /** A written recommendation, if there is one. */
  advice: Advice | null;
  steps: NextStep[];
  snippet: SnippetSeen;
  /** If attribution lags behind, the time before which all acknowledged events have been counted; otherwise null. */
  countedBefore: Micros | null;
}

/** Reads the data of an experiment's page. */
@Injectable()
export class ExperimentViews {
  constructor(
    private readonly subjects: ExperimentSubjects,
    private readonly steps: NextStepReader,
    private readonly shares: Shares,
    private readonly results: TeamResults,
    private readonly installation: InstallationService,
    private readonly waiting: WaitingEvents,
  ) {}

  /** @param query the filter of the results */
  async read(place: ProjectPlace, query: RawQuery): Promise<ExperimentView> {
    const shared = found(await this.shares.ofExperiment(place.target.id));
    const { snippet: seen, since } = await this.installation.connection(place.projectId);
    const snippet = { at: seen.last_seen_at, since };
    const [countedBefore, subject, results] = await Promise.all([
      this.waiting.countedBefore(place.target.id),
      this.subjects.read(place),
      this.results.read(shared, query, snippet),
    ]);
    return {
      ...subject,
      results,
      shareUrl: shared.shareUrl,
      ...(await this.steps.advise(place, subject, resultStateOf(subject.experiment, results))),
      snippet,
      countedBefore: isLongAgo(countedBefore, results.header.asOf) ? countedBefore : null,
    };
  }
}

const isLongAgo = (moment: Micros | null, now: Micros): boolean =>
  moment !== null && now - moment > LONG_MICROS;

/** The state of the unfiltered results. */
function resultStateOf(experiment: ExperimentRecord, view: TeamView): ResultState {
  const { asOf, lastEventAt } = view.header;
  const results = view.outcome === 'results' ? view.everybody : view.header.results;
  return resultState(results, {
    now: asOf,
    changedAt: Date.parse(experiment.updated_at) * 1000,
    lastEventAt,
  });
}
