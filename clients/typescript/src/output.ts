import process from 'node:process';

/**
 * Writes to standard output, and waits for the reader. A pipe of a Node.js process does not block, so synchronous
 * functions of `fs` fail on it.
 * @throws Error if the reader has ended, or the disk is full
 */
export const print = (content: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout
      .once('error', reject)
      .write(content, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
