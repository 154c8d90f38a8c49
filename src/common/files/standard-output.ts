const ignore = (): void => undefined;

/** Writes to standard output, which may be a slow pipe. @returns why it could not be written; null if it was */
export function writeOut(data: string | Uint8Array): Promise<NodeJS.ErrnoException | null> {
  const { stdout } = process;
  // The callback of the write has the same error.
  if (!stdout.listeners('error').includes(ignore)) {
    stdout.on('error', ignore);
  }
  return new Promise((done) => {
    stdout.write(data, (error) => done(error ?? null));
  });
}
