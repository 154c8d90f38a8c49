import type { Code } from './config';

/** A piece of the project's code, and what it belongs to. */
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

/** Runs the project's code so that it cannot fail but here, and reports each piece that does once. */
export class UserCode {
  private readonly failed = new Set<string>();

  /** @param report is given the properties of at most ten error messages */
  constructor(
    private readonly build: string,
    private readonly report: (properties: object) => void,
  ) {}

  /** @returns what the code returned, or undefined where it failed */
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

/** What is thrown may be anything, even something that cannot be turned into text. */
function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return typeof error;
  }
}
