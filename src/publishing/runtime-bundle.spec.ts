/** @jest-environment node */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { RuntimeBundle, runtimeBundle } from './runtime-bundle';

const BUDGET_BYTES = 16_384;
const AGENT_BYTES = 8_192;
const BUNDLER = join(__dirname, '../../scripts/bundles.mjs');

const compressedSize = ({ code }: RuntimeBundle): number => gzipSync(code, { level: 9 }).length;

describe('the runtime', () => {
  const withCountry = runtimeBundle({ country: true });
  const withBoth = runtimeBundle({ agent: true, country: true });
  const [plain, withAgent] = [runtimeBundle({}), runtimeBundle({ agent: true })];

  it('stays within its size budget', () => {
    expect(compressedSize(plain)).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(compressedSize(withCountry)).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(compressedSize(withBoth)).toBeLessThanOrEqual(BUDGET_BYTES + AGENT_BYTES);
    expect(compressedSize(withAgent)).toBeLessThanOrEqual(BUDGET_BYTES + AGENT_BYTES);
  });

  it('requests the country only if it is needed', () => {
    const asks = ({ code }: RuntimeBundle): boolean => code.includes('/v1/visitor');
    expect([plain, withAgent, withCountry, withBoth].map(asks)).toEqual([false, false, true, true]);
  });

  it('is the same in every build', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-bundles-'));
    try {
      execFileSync(process.execPath, [BUNDLER, folder]);
      const built = (name: string) =>
        readFileSync(join(folder, 'src/publishing/runtime/bundles', name), 'utf8').trim();
      expect([built('main.js'), built('main-with-agent.js')]).toEqual([plain.code, withAgent.code]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is identified by its digest', () => {
    expect(plain.digest).toBe(createHash('sha256').update(plain.code).digest('hex'));
    expect(plain.digest).not.toBe(withAgent.digest);
  });

  it('complies with a strict Content Security Policy', () => {
    for (const { code } of [plain, withAgent]) {
      expect(code).not.toMatch(/\beval\(|\bnew Function\b|\bFunction\(|innerHTML|outerHTML|document\.write/);
    }
  });

  it('declares a start function without running anything', () => {
    expect(runInNewContext(`(()=>{${plain.code};return typeof start})()`)).toBe('function');
  });
});
