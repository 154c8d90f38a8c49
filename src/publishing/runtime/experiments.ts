import { addressTest, AddressTest } from './address-patterns';
import type { Code, SnippetExperiment, SnippetPage, SnippetVariation } from './config';
import { guarded } from './guard';
import { DomWatch, whenSeen } from './page-events';
import { runWithTools } from './page-tools';
import type { Decider } from './participation';
import { addStyle } from './style-sheets';
import type { Piece, UserCode } from './user-code';

type Activation = SnippetPage['activation'];

/** An experiment on this page. */
interface Candidate {
  experiment: SnippetExperiment;
  pages: { activation: Activation; test: AddressTest }[];
  /** The kinds of activation that have occurred on this page. */
  activated: Set<Activation>;
  view: ExperimentView | null;
}

/** Pages with these kinds of activation are active whenever the URL matches. */
const ALWAYS_ACTIVE: ReadonlySet<Activation> = new Set(['url_change', 'dom_change']);

/** Shows experiments on their pages, and reverts them elsewhere. */
export class Experiments {
  private readonly candidates: Candidate[] = [];
  private readonly dom = new DomWatch(() => this.evaluateSoon());
  private nextEvaluation = 0;
  private state: 'before load' | 'idle' | 'evaluating' | 'over' = 'before load';

  constructor(
    experiments: SnippetExperiment[],
    private readonly decider: Decider,
    private readonly code: UserCode,
    /** Called during an evaluation, after each experiment. */
    private readonly onDecided: () => unknown,
    /** Called after each evaluation. */
    private readonly onEvaluated: () => void,
  ) {
    const add = guarded((experiment: SnippetExperiment) => {
      const pages = experiment.pages.map((page) => ({ ...page, test: addressTest(page) }));
      this.candidates.push({ experiment, pages, activated: new Set(), view: null });
    });
    experiments.forEach((experiment) => add(experiment));
  }

  /** Evaluates all experiments on page load. */
  load(): void {
    if (this.state === 'before load') {
      this.state = 'idle';
    }
    this.candidates.forEach((candidate) => activate(candidate, 'immediate'));
    this.evaluate();
  }

  /** Reverts all experiments and evaluates them again, as on page load. */
  reload(): void {
    for (const candidate of this.candidates) {
      undo(candidate);
      candidate.activated.clear();
    }
    this.load();
  }

  activate(experiment: number): void {
    this.candidates
      .filter((candidate) => candidate.experiment.id === experiment)
      .forEach((candidate) => activate(candidate, 'manual'));
    this.evaluate();
  }

  /** Shows a different variation of an experiment, if the experiment is or can be shown. */
  replace(experiment: number, variation: SnippetVariation): void {
    const candidate = this.candidates.find((each) => each.experiment.id === experiment);
    if (candidate !== undefined && candidate.view?.variation !== variation) {
      undo(candidate);
    }
    this.evaluate();
  }

  /**
   * Immediately reverts experiments that do not belong to the new URL, and experiments that have a `url_change` page
   * there. Experiments are shown only after the application has rendered.
   * @param isRoute whether more than an anchor has changed. The application does not render again for an anchor, so
   * experiments that are shown stay as they are
   */
  routeChanged(isRoute: boolean): void {
    for (const candidate of this.candidates) {
      const pages = duePages(candidate);
      if (pages.length === 0 || (isRoute && pages.includes('url_change'))) {
        undo(candidate);
      }
    }
    this.evaluateSoon();
  }

  /** Shows all experiments that are due but not shown yet. */
  evaluate(): void {
    if (this.isEvaluating) {
      // The project's code has called the snippet or changed the URL.
      this.evaluateSoon();
    } else if (this.state === 'idle') {
      this.state = 'evaluating';
      // Ends all experiments if the visitor has withdrawn consent.
      const decide = this.decider.begin();
      const show = guarded((candidate: Candidate) => {
        const isWaiting = this.show(candidate, decide);
        this.onDecided();
        return isWaiting;
      });
      const isWaiting = this.candidates.map((candidate) => show(candidate)).includes(true);
      this.decider.end();
      this.finish(isWaiting);
    }
  }

  get isEvaluating(): boolean {
    return this.state === 'evaluating';
  }

  /** Whether an evaluation will follow before the next paint. */
  isPending(): boolean {
    // Browsers report document changes only after the running script, which may push an event about them.
    if (this.dom.hasChanged()) {
      this.evaluateSoon();
    }
    return this.nextEvaluation !== 0;
  }

  /** Reverts all experiments permanently. */
  end(): void {
    this.state = 'over';
    this.finish(false);
  }

  private finish(isWaiting: boolean): void {
    if (this.state === 'over') {
      this.candidates.forEach(undo);
    } else {
      this.state = 'idle';
    }
    this.dom.watch(isWaiting && this.state === 'idle');
    this.onEvaluated();
  }

  /** @returns whether the experiment is waiting for document changes */
  private show(candidate: Candidate, decide: ReturnType<Decider['begin']>): boolean {
    const pages = this.state === 'over' ? [] : duePages(candidate);
    if (pages.length === 0) {
      undo(candidate);
    }
    if (candidate.view !== null || pages.length === 0) {
      return false;
    }
    const { experiment } = candidate;
    const decision = decide(experiment);
    if (typeof decision === 'object') {
      const view = new ExperimentView(experiment, decision, this.code);
      candidate.view = view;
      whenSeen(() => {
        if (candidate.view === view) {
          this.decider.shown(experiment, decision);
        }
      });
    }
    return decision === 'not yet' && pages.includes('dom_change');
  }

  /** Evaluates experiments after all other handlers for the current event have run, and before the next paint. */
  private evaluateSoon(): void {
    this.nextEvaluation ||= requestAnimationFrame(
      guarded(() => {
        this.nextEvaluation = 0;
        this.evaluate();
      }),
    );
  }
}

const matches = ({ pages }: Candidate): Activation[] =>
  pages.filter(({ test }) => test(location.href)).map(({ activation }) => activation);

/** The kinds of activation that all active pages at this URL use. */
const duePages = (candidate: Candidate): Activation[] =>
  matches(candidate).filter(
    (activation) => ALWAYS_ACTIVE.has(activation) || candidate.activated.has(activation),
  );

function activate(candidate: Candidate, activation: Activation): void {
  if (matches(candidate).includes(activation)) {
    candidate.activated.add(activation);
  }
}

function undo(candidate: Candidate): void {
  const { view } = candidate;
  // The experiment's `reset_js` may change the URL or call the snippet, which reverts experiments again.
  candidate.view = null;
  view?.undo();
}

/** Applies the changes of an experiment and one of its variations while the visitor sees them. */
class ExperimentView {
  private readonly removeStyles: (() => void)[] = [];
  private readonly ending = new AbortController();

  constructor(
    private readonly experiment: SnippetExperiment,
    readonly variation: SnippetVariation,
    private readonly code: UserCode,
  ) {
    const { id } = experiment;
    runWithTools(this.ending.signal, () => {
      this.change(experiment, { experiment: id });
      this.change(variation, { experiment: id, variation: variation.id });
    });
  }

  undo(): void {
    const { id, resetJs } = this.experiment;
    const about = { experiment: id, variation: this.variation.id };
    this.ending.abort();
    this.removeStyles.forEach((remove) => this.code.run({ ...about, where: 'css' }, remove));
    if (resetJs !== undefined) {
      this.code.run({ ...about, where: 'reset_js' }, resetJs);
    }
  }

  private change({ css, js }: { css?: string; js?: Code }, about: Omit<Piece, 'where'>): void {
    if (css !== undefined) {
      this.code.run({ ...about, where: 'css' }, () => this.removeStyles.push(addStyle(css)));
    }
    if (js !== undefined) {
      this.code.run({ ...about, where: 'js' }, js);
    }
  }
}
