import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { RuntimeBundle } from './runtime-bundle';

const BUDGET_BYTES = 16_384;
const AGENT_BYTES = 8_192;

/** Built anew each time. */
function build(withAgent: boolean): RuntimeBundle {
  let bundle: RuntimeBundle | undefined;
  jest.isolateModules(() => {
    const { runtimeBundle } = jest.requireActual<typeof import('./runtime-bundle')>('./runtime-bundle');
    bundle = runtimeBundle(withAgent);
  });
  return bundle!;
}

const compressedSize = ({ code }: RuntimeBundle): number => gzipSync(code, { level: 9 }).length;

describe('the runtime', () => {
  const [plain, withAgent] = [build(false), build(true)];

  it('keeps to its budget', () => {
    expect(compressedSize(plain)).toBeLessThanOrEqual(BUDGET_BYTES);
    expect(compressedSize(withAgent)).toBeLessThanOrEqual(BUDGET_BYTES + AGENT_BYTES);
  });

  it.each([false, true])('is the same whenever it is built (%s)', (isWithAgent) => {
    expect(build(isWithAgent)).toEqual(isWithAgent ? withAgent : plain);
  });

  it('is known by its digest', () => {
    expect(plain.digest).toBe(createHash('sha256').update(plain.code).digest('hex'));
    expect(plain.digest).not.toBe(withAgent.digest);
  });

  it('does nothing that a strict policy forbids', () => {
    for (const { code } of [plain, withAgent]) {
      expect(code).not.toMatch(/\beval\(|\bnew Function\b|\bFunction\(|innerHTML|outerHTML|document\.write/);
    }
  });

  it('declares a function that starts it, and does nothing by itself', () => {
    expect(runInNewContext(`(()=>{${plain.code};return typeof start})()`)).toBe('function');
  });
});
