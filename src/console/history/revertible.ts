import type { Permission } from '../../access/roles';
import type { AuditEntryRecord } from '../../history/audit-entry.record';

/** The permission that reverting an entry needs; null if it cannot be reverted. */
export type Revertible = (entry: AuditEntryRecord) => Permission | null;
