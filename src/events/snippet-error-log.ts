import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { MemoryWindow } from '../auth/rate-limit/rate-window';
import { Database } from '../database/database';
import { revisionOfBuild } from './event.store';
import type { SnippetError } from './snippet-error';
import { SnippetErrorReports } from './snippet-error-reports';

/** Log limit per minute and project, because a broken page fails for each of its visitors. */
const LINES_PER_MINUTE = 20;

/** Reports errors of snippets to operators: all are counted, a limited number per minute and project is logged. */
@Injectable()
export class SnippetErrorLog {
  private readonly logger = new Logger('Snippet');
  private readonly lines = new MemoryWindow();
  private readonly reports: Counter;

  constructor(
    private readonly database: Database,
    private readonly hooks: SnippetErrorReports,
    registry: Registry,
  ) {
    this.reports = new Counter({
      name: 'gosset_snippet_errors_total',
      help: 'Failures of code in browsers that snippets reported',
      registers: [registry],
    });
  }

  /** Does not wait for the log: the snippet only needs an acknowledgement. */
  report(projectId: number, errors: readonly SnippetError[]): void {
    this.reports.inc(errors.length);
    this.hooks.count(projectId, errors.length);
    for (const error of errors) {
      void this.logWithinLimit(projectId, error);
    }
  }

  private async logWithinLimit(projectId: number, error: SnippetError): Promise<void> {
    const { hits } = this.lines.hit(String(projectId));
    if (hits <= LINES_PER_MINUTE) {
      await this.log(projectId, error);
    }
  }

  private async log(projectId: number, error: SnippetError): Promise<void> {
    const { experimentId, variationId, build, where, message, environment } = error;
    const revision = await this.revisionOf(projectId, build);
    const code = { projectId, experimentId, variationId, revision, environment, where };
    this.logger.warn({ ...code, msg: `Code on a page failed: ${message}` });
  }

  /** The latest publication of a build; null if there is none or it cannot be read. */
  private async revisionOf(projectId: number, build: string): Promise<number | null> {
    if (build === '') {
      return null;
    }
    try {
      return await revisionOfBuild(this.database.read, projectId, build);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'The publication of a failed snippet cannot be looked up' });
      return null;
    }
  }
}
