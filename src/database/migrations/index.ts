import { People1780000000000 } from './1780000000000-people';
import { Definitions1780000100000 } from './1780000100000-definitions';
import { Experiments1780000200000 } from './1780000200000-experiments';
import { Events1780000300000 } from './1780000300000-events';
import { Imports1780000400000 } from './1780000400000-imports';
import { Publications1780000500000 } from './1780000500000-publications';
import { Idempotency1780000600000 } from './1780000600000-idempotency';
import { Sessions1780000700000 } from './1780000700000-sessions';

/** All migrations, oldest first. */
export const migrations = [
  People1780000000000,
  Definitions1780000100000,
  Experiments1780000200000,
  Events1780000300000,
  Imports1780000400000,
  Publications1780000500000,
  Idempotency1780000600000,
  Sessions1780000700000,
];
