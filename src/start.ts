import { join } from 'node:path';
import { Bundle, limitHeapGrowth } from './platform/bundle';
import type { programs as Programs } from './programs';

/** The programs from the bundle or, without a bundle (as with `npm run dev`), from individual files. */
export async function loadPrograms(): Promise<typeof Programs> {
  limitHeapGrowth();
  const bundle = Bundle.read(join(__dirname, '..'), 'gosset');
  return bundle === null
    ? (await import('./programs.js')).programs
    : (bundle.run() as { programs: typeof Programs }).programs;
}

/** Runs a program as this process. */
export async function start(name: keyof typeof Programs): Promise<void> {
  const program = await (await loadPrograms())[name]();
  await program.main();
}
