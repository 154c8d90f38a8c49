import { Injectable } from '@nestjs/common';
import { formatMicros, formatOptionalMicros, type Micros } from '../../common/time/clock';
import { Database } from '../../database/database';
import type { CountingRules } from '../counting-rules';
import { readCountingRules } from '../counting-rules.store';
import { EventReader } from '../event-log';
import { type ExportFormat, STANDARD_OUTPUT } from '../file-formats';
import type { EventRow } from '../stored-events.store';
import { decimalText } from '../values';
import { encoderFor } from './encoders';
import { ExportFile, ExportRefusedError, ExportTarget, StandardOutput } from './export-target';
import { ExportStore, type NamedId } from './export.store';
import { type FinalTimes, Names, PageContext } from './exported-event';

interface ExportRequest {
  projectId: number;
  /** Export the events from all visitors who were exposed to this experiment; null for the events from all visitors. */
  experimentId: number | null;
  /** Time range of the events: start inclusive, end exclusive; null = unbounded. */
  from: Micros | null;
  until: Micros | null;
  format: ExportFormat;
  /** Path of the file, or `STANDARD_OUTPUT`. */
  output: string;
  /** Path of the file for the counting rules; null for none. */
  rules: string | null;
  /** Whether existing files are replaced. */
  overwrite: boolean;
}

/** Summary of an export. */
export interface ExportReport {
  project_id: number;
  format: ExportFormat;
  /** Null for standard output. */
  file: string | null;
  rules_file: string | null;
  events: number;
  experiments: number;
}

/** Called after each page with the number of events read so far and the total number. */
type ExportProgress = (done: number, total: number) => void;

/**
 * Writes a project's events to a file, with everything that their attribution depends on. Events that arrive during the
 * export may or may not be included.
 */
@Injectable()
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly events: EventReader,
    private readonly store: ExportStore,
  ) {}

  /**
   * @param progress null if no progress is shown; this avoids counting the events, which takes time
   * @param stop ends the export before the next page
   * @throws ExportRefusedError if a file cannot be written, or the export was stopped; no file is left behind in these
   * cases
   */
  async export(
    request: ExportRequest,
    progress: ExportProgress | null,
    stop: AbortSignal,
  ): Promise<ExportReport> {
    const { overwrite, output, rules } = request;
    const targets: ExportTarget[] = [];
    try {
      const rulesFile = rules === null ? null : await ExportFile.create(rules, overwrite);
      targets.push(...(rulesFile === null ? [] : [rulesFile]));
      const target =
        output === STANDARD_OUTPUT ? new StandardOutput() : await ExportFile.create(output, overwrite);
      targets.push(target);
      const experiments = rulesFile === null ? 0 : await this.writeRules(request, rulesFile);
      const events = await this.writeEvents(request, target, progress, stop);
      // The events file gets its final name last, so a job that waits for it also finds the rules file.
      for (const each of targets) {
        await each.finish();
      }
      const file = output === STANDARD_OUTPUT ? null : output;
      const { projectId: project_id, format } = request;
      return { project_id, format, file, rules_file: rules, events, experiments };
    } catch (error) {
      for (const each of targets) {
        await each.discard();
      }
      throw error;
    }
  }

  /** @returns the number of experiments */
  private async writeRules(
    { projectId, experimentId }: ExportRequest,
    target: ExportTarget,
  ): Promise<number> {
    const all = await this.store.experiments(projectId);
    const experiments = all.filter(({ id }) => experimentId === null || id === experimentId);
    const rules = await readCountingRules(
      this.database.read,
      experiments.map(({ id }) => id),
    );
    const lines = experiments.flatMap((experiment) => {
      const own = rules.get(experiment.id);
      return own === undefined ? [] : [rulesLine(experiment, own)];
    });
    await target.write(Buffer.from(lines.join('')));
    return lines.length;
  }

  /** @returns the number of events */
  private async writeEvents(
    request: ExportRequest,
    target: ExportTarget,
    progress: ExportProgress | null,
    stop: AbortSignal,
  ): Promise<number> {
    const { projectId, format } = request;
    const total = progress === null ? 0 : await this.events.countEvents(projectId);
    const names = await Names.of(this.store, projectId);
    const finals = await this.finalTimes(projectId);
    const encoder = await encoderFor(format);
    let [read, written] = [0, 0];
    for await (const page of this.events.pages(projectId)) {
      requireGoing(stop, target);
      const chosen = await this.chosen(request, page);
      const context = await PageContext.of(this.store, projectId, chosen, finals);
      await target.write(encoder.encode(chosen.map((row) => context.exported(row, names))));
      read += page.length;
      written += chosen.length;
      progress?.(read, Math.max(read, total));
    }
    requireGoing(stop, target);
    await target.write(encoder.end());
    return written;
  }

  private async finalTimes(projectId: number): Promise<FinalTimes> {
    const ids = (await this.store.experiments(projectId)).map(({ id }) => id);
    const rules = await readCountingRules(this.database.read, ids);
    return new Map(ids.map((id) => [id, rules.get(id)?.finalAt ?? null]));
  }

  /**
   * Filters events in memory instead of in the database, so that each statement is short even if hardly any events
   * match.
   */
  private async chosen(
    { projectId, experimentId, from, until }: ExportRequest,
    page: readonly EventRow[],
  ): Promise<EventRow[]> {
    const inTime = page.filter(({ occurred_at }) => {
      const at = Number(occurred_at);
      return (from === null || at >= from) && (until === null || at < until);
    });
    if (experimentId === null || inTime.length === 0) {
      return inTime;
    }
    const ids = [...new Set(inTime.map(({ visitor_id }) => visitor_id))];
    const exposed = await this.store.exposedAmong(projectId, experimentId, ids);
    return inTime.filter(({ visitor_id }) => exposed.has(visitor_id));
  }
}

function requireGoing(stop: AbortSignal, { interruption }: ExportTarget): void {
  if (stop.aborted) {
    throw new ExportRefusedError(`The export was interrupted. ${interruption}`);
  }
}

/**
 * An experiment's counting rules as one line of JSON. The experiment's results can be computed from these rules and the
 * events. docs/events-export.md describes the members.
 */
function rulesLine({ id, name }: NamedId, { runs, finalAt, phases, caps }: CountingRules): string {
  const members = {
    experiment_id: id,
    experiment: name,
    final_at: formatOptionalMicros(finalAt),
    runs: runs.map(({ startedAt, endedAt }) => ({
      started_at: formatMicros(startedAt),
      ended_at: formatOptionalMicros(endedAt),
    })),
    phases: phases.map(formatMicros),
  };
  const valueCaps = [...caps].map(([goal, cap]) => `{"goal_id":${goal},"value_cap":${decimalText(cap)}}`);
  return `${JSON.stringify(members).slice(0, -1)},"value_caps":[${valueCaps.join(',')}]}\n`;
}
