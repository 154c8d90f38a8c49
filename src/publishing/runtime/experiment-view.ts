import type { Code, SnippetExperiment, SnippetVariation } from './config';
import { addStyle } from './style-sheets';
import type { Piece, UserCode } from './user-code';

/** Applies the changes of an experiment and one of its variations while the visitor sees them. */
export class ExperimentView {
  private readonly removeStyles: (() => void)[] = [];

  constructor(
    private readonly experiment: SnippetExperiment,
    readonly variation: SnippetVariation,
    private readonly code: UserCode,
  ) {
    const { id } = experiment;
    this.apply(experiment, { experiment: id });
    this.apply(variation, { experiment: id, variation: variation.id });
  }

  undo(): void {
    const { id, resetJs } = this.experiment;
    const about = { experiment: id, variation: this.variation.id };
    this.removeStyles.forEach((remove) => this.code.run({ ...about, where: 'css' }, remove));
    if (resetJs !== undefined) {
      this.code.run({ ...about, where: 'reset_js' }, resetJs);
    }
  }

  private apply({ css, js }: { css?: string; js?: Code }, about: Omit<Piece, 'where'>): void {
    if (css !== undefined) {
      this.code.run({ ...about, where: 'css' }, () => this.removeStyles.push(addStyle(css)));
    }
    if (js !== undefined) {
      this.code.run({ ...about, where: 'js' }, js);
    }
  }
}
