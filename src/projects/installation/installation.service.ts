import { Injectable } from '@nestjs/common';
import { formatMicros, formatOptionalMicros, nowMicros } from '../../common/time/clock';
import { type Facts, lastHour } from '../../events/recent/project-watch';
import { ACCEPTED, RecentMessages, SCRIPT_ERROR } from '../../events/recent/recent-messages';
import { ResultsService } from '../../results/results.service';
import type { SampleRatio } from '../../statistics/result';
import type { Installation, LastHour, RunningCheck } from './installation.record';
import { InstallationStore, type RunningExperiment } from './installation.store';

export type Connection = Omit<Installation, 'experiments'>;

const MAX_EXPERIMENTS = 20;

/** Checks a project's installation, using the recent messages in memory and the results. */
@Injectable()
export class InstallationService {
  constructor(
    private readonly recent: RecentMessages,
    private readonly store: InstallationStore,
    private readonly results: ResultsService,
  ) {}

  async check(projectId: number): Promise<Installation> {
    const [connection, running] = await Promise.all([
      this.connection(projectId),
      this.store.running(projectId, MAX_EXPERIMENTS),
    ]);
    const experiments: RunningCheck[] = [];
    // One after another, because all of them together would fill the queue for database connections.
    for (const experiment of running) {
      experiments.push(await this.checkExperiment(experiment));
    }
    return { ...connection, experiments };
  }

  /** The part of the check that does not concern experiments. This part executes only a few statements. */
  async connection(projectId: number): Promise<Connection> {
    const [{ facts, isShared }, lastCounted] = await Promise.all([
      this.recent.read(projectId),
      this.store.lastCountedAt(projectId),
    ]);
    return {
      since: formatMicros(facts.since),
      is_shared: isShared,
      snippet: {
        last_seen_at: formatOptionalMicros(facts.snippetAt),
        hosts: [...facts.hosts]
          .sort(([, a], [, b]) => b - a)
          .map(([host, at]) => ({ host, last_seen_at: formatMicros(at) })),
      },
      last_message_at: formatOptionalMicros(facts.messageAt),
      last_exposure_at: formatOptionalMicros(facts.exposureAt),
      last_counted_at: formatOptionalMicros(lastCounted),
      last_hour: hourOf(facts),
    };
  }

  private async checkExperiment({ id, name }: RunningExperiment): Promise<RunningCheck> {
    const info = await this.results.info(id);
    const ratio = { ...info.sample_ratio_mismatch, isDetectable: info.can_detect_mismatch };
    return runningCheck({ id, name }, info.participants, ratio);
  }
}

/** The state of a running experiment. */
export function runningCheck(
  { id, name }: RunningExperiment,
  participants: number,
  ratio: Pick<SampleRatio, 'isMismatch' | 'isDetectable'>,
): RunningCheck {
  return { id, name, participants, sample_ratio: participants === 0 ? 'no_participants' : outcomeOf(ratio) };
}

function outcomeOf({
  isMismatch,
  isDetectable,
}: Pick<SampleRatio, 'isMismatch' | 'isDetectable'>): RunningCheck['sample_ratio'] {
  if (isMismatch) {
    return 'mismatch';
  }
  return isDetectable ? 'passed' : 'not_tested';
}

function hourOf(facts: Facts): LastHour {
  const {
    [ACCEPTED]: accepted = 0,
    [SCRIPT_ERROR]: script_errors = 0,
    ...reasons
  } = Object.fromEntries(lastHour(facts, nowMicros()));
  const rejected = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  return { accepted, rejected, rejected_by_reason: reasons, script_errors };
}
