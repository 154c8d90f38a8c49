import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DAY_MICROS, Micros, nowMicros } from '../common/time/clock';
import { Database } from '../database/database';
import type { AuditAction } from './audit-log';
import { auditEntriesToChange, replaceAfter } from './audit.store';

/** The action of entries for failed sign-ins. */
export const SIGN_IN_FAILED = 'sign-in-failed' satisfies AuditAction;

const KEPT_MICROS = 30 * DAY_MICROS;
/** Rows per statement, to keep locks short. */
const BATCH = 1_000;
const FORGOTTEN = JSON.stringify({ email: null });

/** Removes expired personal data from audit entries, but keeps the entries. */
@Injectable()
export class AuditRetention {
  constructor(private readonly database: Database) {}

  /**
   * Removes the e-mail addresses of failed sign-ins after 30 days. They are kept that long to investigate attacks,
   * although a submitted address may belong to somebody else.
   */
  async forgetAddresses(now: Micros = nowMicros()): Promise<void> {
    const which = { action: SIGN_IN_FAILED, until: now - KEPT_MICROS, after: FORGOTTEN };
    for (let last = 0; ;) {
      const ids = await auditEntriesToChange(this.database, which, { afterId: last, limit: BATCH });
      if (ids.length > 0) {
        await replaceAfter(this.database, ids, FORGOTTEN);
      }
      if (ids.length < BATCH) {
        return;
      }
      last = ids.at(-1) ?? last;
      await othersTurn();
    }
  }
}
