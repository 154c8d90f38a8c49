import { Injectable } from '@nestjs/common';
import { audit } from '../audit/audit-log';
import { SIGN_IN_FAILED } from '../audit/audit-retention';
import { Database } from '../database/database';
import type { User } from '../users/user.entity';

const MAX_EMAIL = 255;

/** The audit entries of failed sign-ins. */
@Injectable()
export class FailedSignIns {
  constructor(private readonly database: Database) {}

  /** Text that is not an e-mail address may be a password in the wrong field, so it is not logged. */
  async note(user: Pick<User, 'id'> | null, email: string): Promise<void> {
    const after = { email: email.includes('@') ? email.slice(0, MAX_EMAIL).toWellFormed() : null };
    await this.database.transaction((tx) =>
      audit(tx, { userId: null, tokenId: null }, null, [
        { action: SIGN_IN_FAILED, itemType: 'user', itemId: user?.id ?? 0, before: null, after },
      ]),
    );
  }
}
