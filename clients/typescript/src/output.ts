import process from 'node:process';

/**
 * Writes to standard output, and waits until everything is written, however slow the reader is. Pipes of a Node.js
 * process are non-blocking, so the synchronous functions of `fs` fail when a pipe is full.
 * @throws Error if the reader has closed the pipe, or the disk is full
 */
export const print = (content: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout
      .once('error', reject)
      .write(content, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
