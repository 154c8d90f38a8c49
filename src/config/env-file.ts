import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

const FILE = '.env';

/**
 * Reads `.env` in the working directory, if there is one. Variables that are already set keep their values.
 * @returns why the file cannot be used, as a sentence with the remedy; null otherwise
 */
export function readEnvFile(): string | null {
  if (!existsSync(FILE)) {
    return null;
  }
  const text = textOfFile();
  if (text === null) {
    return `${resolve(FILE)} cannot be read. Make the file readable for the current user, or start Gosset in another folder.`;
  }
  // UTF-16, which Windows PowerShell writes, has a zero byte next to every ASCII letter.
  if (text.includes('\0')) {
    return `${resolve(FILE)} is not encoded in UTF-8. Save the file with this encoding.`;
  }
  for (const [name, value] of Object.entries(parseEnv(text))) {
    process.env[name] ??= value;
  }
  return null;
}

/** The text without the byte order mark that Windows programs add, which `process.loadEnvFile` does not remove. */
function textOfFile(): string | null {
  try {
    return new TextDecoder().decode(readFileSync(FILE));
  } catch {
    return null;
  }
}
