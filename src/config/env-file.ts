import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const FILE = '.env';

/**
 * Reads `.env` in the working directory, if there is one. Variables that are set keep their values.
 * @returns why the file cannot be read, as a sentence that says what to do; null otherwise
 */
export function readEnvFile(): string | null {
  try {
    if (existsSync(FILE)) {
      process.loadEnvFile(FILE);
    }
    return null;
  } catch {
    // Node says that a file does not exist if this user may not read it.
    return `${resolve(FILE)} cannot be read. Let this user read it, or start in another folder.`;
  }
}
