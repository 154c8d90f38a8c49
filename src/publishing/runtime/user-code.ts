import type { Code } from './config';

/** A piece of the project's code, and the record to which it belongs. */
export interface Piece {
  where: 'js' | 'css' | 'reset_js' | 'environment' | 'condition';
  experiment?: number;
  variation?: number;
  environment?: string;
  /** Of a condition. */
  index?: number;
}

const MAX_REPORTS = 10;
const MAX_MESSAGE_LENGTH = 500;
const HINT =
  'The script runs before the page is there: gosset.getTools().waitForElement(selector) waits for an element.';

/** Runs the project's code so that errors stay inside, and reports each failing piece once. */
export class UserCode {
  private readonly failed = new Set<string>();

  /** @param report called with the properties of at most ten error messages */
  constructor(
    private readonly build: string,
    private readonly report: (properties: object) => void,
  ) {}

  /** @returns the return value of the code; undefined if it failed */
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
    if (this.failed.has(key)) {
      return;
    }
    this.failed.add(key);
    console.error(`gosset: ${key} failed.`, error, ...(where === 'js' ? [HINT] : []));
    if (this.failed.size <= MAX_REPORTS) {
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

/** Any value can be thrown, even one that cannot be converted to text. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return typeof error;
  }
}
