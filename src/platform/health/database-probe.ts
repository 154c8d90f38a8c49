import { Injectable } from '@nestjs/common';
import { inTime } from '../../common/event-loop';
import { Database } from '../../database/database';
import { checkAnswer, checkReadiness } from '../../database/readiness';

const DEADLINE_MS = 1_000;
const LATE = `The database has not answered within ${DEADLINE_MS} ms.`;

/** Probes the database; concurrent callers share one probe. */
class Question {
  private current: Promise<string | null> | null = null;

  constructor(private readonly ask: () => Promise<unknown>) {}

  /** @returns the reason for a failure; null on success */
  failure(): Promise<string | null> {
    this.current ??= this.answer().finally(() => (this.current = null));
    return inTime(this.current, DEADLINE_MS, LATE);
  }

  private async answer(): Promise<string | null> {
    try {
      await this.ask();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Probes whether the database responds, and whether it can be read and written. */
@Injectable()
export class DatabaseProbe {
  private readonly answers: Question;
  private readonly serves: Question;

  constructor(database: Database) {
    this.answers = new Question(() => checkAnswer(database));
    this.serves = new Question(() => checkReadiness(database));
  }

  /** @returns why the database cannot be read; null when it can */
  failure(): Promise<string | null> {
    return this.answers.failure();
  }

  /** @returns why the database cannot be read and written; null when it can */
  unreadiness(): Promise<string | null> {
    return this.serves.failure();
  }
}
