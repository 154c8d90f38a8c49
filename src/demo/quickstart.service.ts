import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { systemCode } from '../common/files';
import { Config } from '../config/config';
import { TokenVerifier } from '../users/tokens/token-verifier';
import { TokensService } from '../users/tokens/tokens.service';
import { verifyPassword } from '../users/passwords';
import type { User } from '../users/user.entities';
import { UsersService } from '../users/users.service';
import { ADMIN, shopUrl } from './demo-items';
import { Demo, DemoService } from './demo.service';

/** The secrets of a quick start, kept in a file because the database stores only their hashes. */
interface Secrets {
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

/** The secrets of an earlier start; empty without a file. */
async function readSecrets(file: string): Promise<Secrets> {
  const { password, token } = parse(file, await readIfThere(file));
  return { password: textOrNull(password), token: textOrNull(token) };
}

/** Stores the secrets in a file that only the user of this process can read. */
async function keepSecrets(file: string, secrets: Secrets): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** The demo with URLs and credentials. */
export interface Quickstart extends Demo {
  server: string;
  reference: string;
  /** The SQLite database file, whose folder contains all data; null on MySQL. */
  file: string | null;
  /** The shop's URL; null if its project was deleted. */
  shop: string | null;
  /** Passwords by e-mail address; null if the password was changed. */
  passwords: Record<string, string | null>;
  /** A read & write token of the demo's administrator; null while that user is disabled. */
  token: string | null;
}

/** Prepares the demo for use, so its users can sign in and there is a valid token. */
@Injectable()
export class QuickstartService {
  constructor(
    private readonly config: Config,
    private readonly demo: DemoService,
    private readonly users: UsersService,
    private readonly tokens: TokensService,
    private readonly verifier: TokenVerifier,
  ) {}

  /** Reuses the secrets of earlier starts while they are valid. Passwords that users have changed are left alone. */
  async prepare(): Promise<Quickstart> {
    const demo = await this.demo.seed();
    const file = this.secretsFile();
    const kept = await readSecrets(file);
    const password = kept.password ?? randomBytes(12).toString('base64url');
    const token = await this.workingToken(kept.token);
    await keepSecrets(file, { password, token });
    const passwords: Quickstart['passwords'] = {};
    for (const { email } of demo.users) {
      passwords[email] = (await this.hasPassword(email, password)) ? password : null;
    }
    const { publicUrl, database } = this.config;
    return {
      ...demo,
      server: publicUrl,
      reference: `${publicUrl}/docs`,
      file: database.engine === 'sqlite' ? database.file : null,
      shop: demo.project === null ? null : shopUrl(this.config),
      passwords,
      token,
    };
  }

  /** The secrets file, in the folder of the SQLite database file or, on MySQL, in the folder `data`. */
  private secretsFile(): string {
    const { database } = this.config;
    return join(database.engine === 'sqlite' ? dirname(database.file) : 'data', 'demo.json');
  }

  private async workingToken(kept: string | null): Promise<string | null> {
    const admin = await this.users.findByEmail(ADMIN);
    if (admin === null || admin.disabled_at !== null) {
      return null;
    }
    return (await this.worksFor(admin, kept))
      ? kept
      : (await this.tokens.issue(admin.id, 'Quickstart', 'write', 'admin')).token;
  }

  private async worksFor(admin: User, token: string | null): Promise<boolean> {
    const actor = token === null ? null : await this.verifier.actorOf(token);
    return actor?.userId === admin.id && actor.abilities.includes('write');
  }

  /** Whether this is the user's password. A user without a password gets it. */
  private async hasPassword(email: string, password: string): Promise<boolean> {
    const user = await this.users.findByEmail(email);
    if (user === null) {
      return false;
    }
    if (user.password_hash !== null) {
      return verifyPassword(user.password_hash, password);
    }
    return (await this.users.setPassword(user.id, password, 'admin')) !== null;
  }
}
