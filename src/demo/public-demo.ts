import { In, IsNull, Not } from 'typeorm';
import { isPrivateHost } from '../common/http/addresses';
import { Config, ConfigError } from '../config/config';
import type { Database } from '../database/database';
import { User } from '../users/user.entities';
import { USERS } from './demo-items';

/**
 * Checks that a public server has no demo users, whose passwords are printed on terminals and stored in a file.
 * @throws ConfigError if demo users can sign in, the URL is public, and `DEMO_PUBLIC` does not allow it
 */
export async function refusePublicDemo(
  { publicUrl, isPublicDemoAllowed }: Config,
  { read }: Database,
): Promise<void> {
  if (isPublicDemoAllowed || isPrivateHost(new URL(publicUrl).hostname)) {
    return;
  }
  const emails = USERS.map(({ email }) => email);
  const users = await read.getRepository(User).find({
    where: { email: In(emails), disabled_at: IsNull(), password_hash: Not(IsNull()) },
    order: { id: 'ASC' },
  });
  if (users.length > 0) {
    throw new ConfigError([
      `PUBLIC_URL is public (${publicUrl}), and users of the demo can sign in: ${users.map(({ email }) => email).join(', ')}. ` +
        'Start with another database (DATABASE_URL), disable each of them (npm run -s admin -- users:disable --email ...), ' +
        'or set DEMO_PUBLIC=allow for a public demo.',
    ]);
  }
}
