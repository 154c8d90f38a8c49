import type { MoveReport } from '../../events/move/event-move.service';
import { addCommand, CommandGroup } from '../command';
import type { AdminContext } from '../context';
import { flag } from '../options';
import { counted, grouped } from '../output';
import type { ProgressBar } from '../output';
import { UsageError } from '../refusals';

const DETAILS = [
  'Once the move has started, servers without EVENTS_URL reject events with 503. While the move runs, restart these servers one by one with EVENTS_URL',
  'Results do not change until the move has finished; the events collected in the meantime are then counted',
  'To resume an interrupted move, run the command again. At the end, the command compares all events, and the results that ClickHouse computes from them',
  'The events stay in the main database until you run the command with --remove',
].join('. ');

type Done = MoveReport | { removed: number } | { cancelled: boolean };

interface Given {
  remove: boolean;
  cancel: boolean;
  skipResults: boolean;
}

function doIt(given: Given, context: AdminContext, progress: ProgressBar): Promise<Done> {
  const { remove, cancel, skipResults } = given;
  if ([remove, cancel, skipResults].filter(Boolean).length > 1) {
    throw new UsageError('Only one of --remove, --cancel and --skip-results can be given.');
  }
  return context.movingEvents<Done>(async (service) => {
    if (cancel) {
      await service.cancel();
      return { cancelled: true };
    }
    if (remove) {
      return { removed: await service.remove(progress.show('Removing events', grouped)) };
    }
    return service.move(
      { skipResults },
      {
        copied: phase(progress, 'Copying events'),
        compared: phase(progress, 'Comparing events'),
        counted: phase(progress, 'Counting visitors'),
      },
    );
  });
}

/** A new progress bar that replaces the previous phase's bar. */
function phase(progress: ProgressBar, what: string): ReturnType<ProgressBar['show']> {
  let show: ReturnType<ProgressBar['show']> | null = null;
  return (done, total) => {
    if (show === null) {
      progress.stop();
      show = progress.show(what, grouped);
    }
    show(done, total);
  };
}

function moveText(report: MoveReport): string {
  const { events, resumed_after, results, recounting, finished_before } = report;
  if (finished_before) {
    return `The move is already complete: ${counted(events, 'event')}.`;
  }
  const recounted = `Results being recomputed because the counting rules changed: experiments ${recounting.join(', ')}.`;
  return [
    `Moved ${counted(events, 'event')} to ClickHouse.`,
    ...(resumed_after === 0 ? [] : [`Resumed an interrupted move after ${counted(resumed_after, 'event')}.`]),
    'Compared all events: they are identical.',
    results === null
      ? 'The results were not compared: run results:rebuild.'
      : `Compared the results of ${counted(results, 'experiment')}: they are identical.`,
    ...(recounting.length === 0 ? [] : [recounted]),
    'Next: when all servers run with EVENTS_URL, remove the events from the main database with --remove.',
  ].join('\n');
}

function text(done: Done): string {
  if ('events' in done) {
    return moveText(done);
  }
  return 'removed' in done
    ? `Removed ${counted(done.removed, 'event')} from the main database.`
    : 'The move is cancelled. Start the servers without EVENTS_URL.';
}

export function addEventMove(group: CommandGroup): void {
  addCommand(group, {
    name: 'events:move',
    summary: 'Move the events from the main database to ClickHouse (EVENTS_URL)',
    details: DETAILS,
    options: {
      remove: flag('--remove', 'after the move: remove the moved events from the main database'),
      cancel: flag('--cancel', 'cancel a move, if no server has stored events in ClickHouse yet'),
      skipResults: flag('--skip-results', 'finish without comparing the results'),
    },
    examples: ['', '--remove', '--json'],
    run: doIt,
    show: text,
  });
}
