import { writeOut } from '../common/files/standard-output';
import { RefusedError } from './refusals';

/**
 * Writes the result of a command to standard output. Secrets such as tokens are shown there only, so the command fails
 * if they are lost, as on a full disk. A reader that has seen enough, such as `head`, is not a failure.
 */
export async function print(text: string): Promise<void> {
  const error = await writeOut(`${text}\n`);
  if (error !== null && error.code !== 'EPIPE') {
    throw new RefusedError(
      `The command was carried out, but its output could not be written: ${error.message}`,
    );
  }
}
