import type { Code } from './config';

/** A piece of the project's code, identified by the record that contains it. */
export interface Piece {
  where: 'js' | 'css' | 'reset_js' | 'environment' | 'condition';
  experiment?: number;
  variation?: number;
  environment?: string;
  /** Index in the configuration's `conditions`. */
  index?: number;
}

const MAX_REPORTS = 10;
const MAX_MESSAGE_LENGTH = 500;
const HINT = 'Wait for elements with gosset.getTools().waitForElement(selector).';

/** Runs the project's code, catches its errors, and reports each failing piece once. */
export class UserCode {
  private readonly failures = new Set<string>();

  /** @param report called with the properties of an error message, at most ten times */
  constructor(
    private readonly build: string,
    private readonly report: (properties: object) => void,
  ) {}

  /** @returns the return value of the code; undefined if the code threw an error */
  run(piece: Piece, code: Code): unknown {
    try {
      return code.call(window);
    } catch (error) {
      this.fail(piece, error);
      return undefined;
    }
  }

  private fail(piece: Piece, error: unknown): void {
    const { where, experiment, variation, environment } = piece;
    const key = JSON.stringify(piece);
    if (this.failures.has(key)) {
      return;
    }
    this.failures.add(key);
    console.error(`gosset: ${key} failed.`, error, ...(where === 'js' ? [HINT] : []));
    if (this.failures.size <= MAX_REPORTS) {
      this.report({
        experiment_id: experiment,
        variation_id: variation,
        environment,
        build: this.build,
        where,
        message: textOf(error).slice(0, MAX_MESSAGE_LENGTH),
      });
    }
  }
}

/** Converts the error to text. Any value can be thrown, including values that cannot be converted. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return typeof error;
  }
}
