import { join } from 'node:path';
import { Bundle, limitHeapGrowth } from './platform/bundle';
import type { programs as Programs } from './programs';

/** The programs, loaded from the bundle or, if there is none (as with `npm run dev`), from individual files. */
export async function loadPrograms(): Promise<typeof Programs> {
  limitHeapGrowth();
  const bundle = Bundle.read(join(__dirname, '..'), 'gosset');
  return bundle === null
    ? (await import('./programs.js')).programs
    : (bundle.run() as { programs: typeof Programs }).programs;
}

/** Runs a program in this process. */
export async function start(name: keyof typeof Programs): Promise<void> {
  const program = await (await loadPrograms())[name]();
  await program.main();
}
