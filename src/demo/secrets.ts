import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../common/files/file-problems';

/** The secrets of a quick start, because the database stores only their hashes. */
export interface Secrets {
  password: string | null;
  token: string | null;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      return '{}';
    }
    throw error;
  }
}

function parse(file: string, content: string): Record<string, unknown> {
  try {
    return (JSON.parse(content) ?? {}) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`${file} is damaged. Delete it, and the server creates new secrets.`, { cause: error });
  }
}

/** The secrets of an earlier start; without a file there are none. */
export async function readSecrets(file: string): Promise<Secrets> {
  const { password, token } = parse(file, await readIfThere(file));
  return { password: textOrNull(password), token: textOrNull(token) };
}

/** Stores the secrets in a file that only this user can read. */
export async function keepSecrets(file: string, secrets: Secrets): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
