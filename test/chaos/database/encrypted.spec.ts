import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdminCommand } from '../../support/admin';
import { describeWith, MariaDb, mariadbd } from '../../support/mariadb';
import { ServerProcess } from '../../support/server-process';

/* Managed databases often accept only encrypted connections. */

const NAME = 'gosset';
const HOST = 'localhost';

describeWith(mariadbd === undefined ? ['mariadb-server'] : [])('a database that requires encryption', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gosset-certificates-'));
  let store: MariaDb;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    store = await MariaDb.create();
  }, 120_000);
  afterEach(() => store.kill());
  afterAll(async () => {
    await store.remove();
    rmSync(folder, { recursive: true });
  }, 60_000);

  /** Starts the database with a certificate for a host. @returns the certificate file */
  async function startAs(host: string): Promise<string> {
    const [file, key] = [join(folder, `${host}.pem`), join(folder, `${host}.key`)];
    const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
    const request = ['req', '-x509', '-days', '1', '-nodes', '-newkey', 'rsa:2048', ...names];
    execFileSync('openssl', [...request, '-keyout', key, '-out', file], { stdio: 'ignore' });
    chmodSync(key, 0o644);
    await store.start(`--ssl-cert=${file}`, `--ssl-key=${key}`);
    await store.query(`CREATE DATABASE IF NOT EXISTS ${NAME}`);
    await store.query('SET GLOBAL require_secure_transport = ON');
    return file;
  }

  const urlOf = (scheme: string): string => `${scheme}://root@${HOST}:${store.port}/${NAME}`;

  async function migrate(url: string, trusted?: string): Promise<{ code: number | null; stderr: string }> {
    const command = new AdminCommand(url, trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted });
    const { code, stderr } = await command.runAlone(['db:migrate']);
    command.remove();
    return { code, stderr };
  }

  it('is used over encrypted connections', async () => {
    const trusted = await startAs(HOST);
    expect(await migrate(urlOf('mysqls'), trusted)).toMatchObject({ code: 0 });
    const environment = { DATABASE_URL: urlOf('mysqls'), NODE_EXTRA_CA_CERTS: trusted };
    const server = await ServerProcess.spawn(environment);
    try {
      await server.ready();
      // The delivery pool has its own connections.
      expect((await fetch(`${server.address}/s/0000000000000000.js`)).status).toBe(404);
    } finally {
      server.kill('SIGTERM');
      await server.exit;
    }
  }, 180_000);

  it('is not used without encryption, or with an untrusted certificate', async () => {
    const trusted = await startAs(HOST);
    // MariaDB does not mention the requirement in its error; MySQL does.
    expect(await migrate(urlOf('mysql'))).toEqual({
      code: 1,
      stderr: expect.stringContaining('Access denied for user'),
    });
    const { code, stderr } = await migrate(urlOf('mysqls'));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('cannot be encrypted: self-signed certificate'),
    ]);
    await store.kill();
    const other = await startAs('db.example.com');
    const wrong = await migrate(urlOf('mysqls'), other);
    expect(wrong).toEqual({
      code: 1,
      stderr: expect.stringContaining("does not match certificate's altnames"),
    });
    expect(trusted).not.toBe(other);
  }, 180_000);
});
