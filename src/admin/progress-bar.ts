import { Format, SingleBar } from 'cli-progress';

/** The progress of a command on a terminal; not shown elsewhere. */
export class ProgressBar {
  private bar: SingleBar | null = null;

  /** @param isShown whether there is a terminal that shows it */
  constructor(readonly isShown: boolean) {}

  /** @param what the action, such as `Importing` @param format formats amounts; by default unchanged */
  show(what: string, format: (amount: number) => string = String): (done: number, total: number) => void {
    return (done, total) => {
      if (!this.isShown) {
        return;
      }
      if (this.bar === null) {
        this.bar = new SingleBar({
          format: `${what} {bar} {percentage}% | {value} of {total} | {eta_formatted} left`,
          barCompleteChar: '=',
          barIncompleteChar: '-',
          clearOnComplete: true,
          stream: process.stderr,
          formatValue: (value, options, type) =>
            type === 'value' || type === 'total' ? format(value) : Format.ValueFormat(value, options, type),
        });
        this.bar.start(total, done);
      }
      this.bar.setTotal(total);
      this.bar.update(done);
    };
  }

  /** Removes it from the terminal. */
  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }
}
