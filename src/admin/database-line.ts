import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseTarget } from '../config/config';
import { hostUrls } from '../config/database-url';

/** Which database a command uses, as one line without secrets. Call it before the database is opened. */
export function databaseLine(target: DatabaseTarget, label = 'Database'): string {
  return `${label}: ${target.engine === 'sqlite' ? fileWords(target.file) : mysqlWords(target.url)}`;
}

function fileWords(file: string): string {
  if (existsSync(file)) {
    return resolve(file);
  }
  const ofQuickstart = join(dirname(file), 'demo', basename(file));
  return existsSync(ofQuickstart)
    ? `${resolve(file)} (new; the quick start has another one: DATABASE_URL=sqlite:${ofQuickstart})`
    : `${resolve(file)} (new)`;
}

function mysqlWords(url: string): string {
  const urls = (hostUrls(url) ?? []).map((one) => new URL(one));
  const name = urls[0]?.pathname.slice(1) ?? '';
  return `MySQL, ${name} on ${urls.map(({ host }) => host).join(', ')}`;
}
