import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { FixedWindowCounter } from '../auth/rate-limit/fixed-window';
import { Database } from '../database/database';
import type { SnippetError } from './snippet-error';

/** A page that fails does so for each of its visitors; operators need to see that it does, and where. */
const LINES_PER_MINUTE = 20;

/** Tells operators what snippets report: each failure is counted, some a minute and project are logged. */
@Injectable()
export class SnippetErrorLog {
  private readonly logger = new Logger('Snippet');
  private readonly lines = new FixedWindowCounter();
  private readonly reports: Counter;

  constructor(
    private readonly database: Database,
    registry: Registry,
  ) {
    this.reports = new Counter({
      name: 'gosset_snippet_errors_total',
      help: 'Failures of code in browsers that snippets reported',
      registers: [registry],
    });
  }

  /** Does not wait for the log: who reports is told that the report has arrived. */
  report(projectId: number, errors: readonly SnippetError[]): void {
    this.reports.inc(errors.length);
    for (const error of errors) {
      if (this.lines.hit(String(projectId)).hits <= LINES_PER_MINUTE) {
        void this.log(projectId, error);
      }
    }
  }

  private async log(projectId: number, error: SnippetError): Promise<void> {
    const { experimentId, variationId, build, where, message, environment } = error;
    const revision = await this.revisionOf(projectId, build);
    const code = { projectId, experimentId, variationId, revision, environment, where };
    this.logger.warn({ ...code, msg: `Code on a page failed: ${message}` });
  }

  /** The newest publication that a build belongs to; null when there is none or it cannot be read now. */
  private async revisionOf(projectId: number, build: string): Promise<number | null> {
    if (build === '') {
      return null;
    }
    try {
      const [row]: { revision: number }[] = await this.database.read.query(
        'SELECT revision FROM publications WHERE project_id = ? AND digest LIKE ? ORDER BY revision DESC LIMIT 1',
        [projectId, `${build}%`],
      );
      return row?.revision ?? null;
    } catch (error) {
      this.logger.warn({ err: error, msg: 'The publication of a failed snippet cannot be looked up' });
      return null;
    }
  }
}
