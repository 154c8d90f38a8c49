import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const FILE = '.env';

/**
 * Reads `.env` in the working directory, if there is one. Variables that are already set keep their values.
 * @returns why the file cannot be read, as a sentence with the remedy; null otherwise
 */
export function readEnvFile(): string | null {
  try {
    if (existsSync(FILE)) {
      process.loadEnvFile(FILE);
    }
    return null;
  } catch {
    // Node's own error would say that the file does not exist, even if it exists but the current user cannot read it.
    return `${resolve(FILE)} cannot be read. Make the file readable for the current user, or start Gosset in another folder.`;
  }
}
