import type { Ability } from '../../access/actor';
import type { TokenPermission } from '../../tokens/tokens.service';

/** The permissions that a token can have, in the words of the pages. */
export const PERMISSIONS: Readonly<Record<TokenPermission, { name: string; allows: string }>> = {
  read: { name: 'Read only', allows: 'Reading data' },
  write: { name: 'Read & write', allows: 'Reading, creating, changing and deleting data' },
};

/** What a token with these abilities is called. */
export const permissionName = (abilities: readonly Ability[]): string =>
  PERMISSIONS[abilities.includes('write') ? 'write' : 'read'].name;
