import type { Frame } from '../../account/pages/frame';
import { Name } from '../../presentation/components/text';
import type { ExperimentSubject } from '../experiment-subject';
import { experimentPagePath } from '../pages/console-page';
import { ShowAsCurl } from '../pages/show-as-curl';
import { seriesCall } from './series-call';

/** Links to the figures of each goal as CSV. */
export function DownloadsCard({ frame, subject }: { frame: Frame; subject: ExperimentSubject }) {
  const { project, experiment } = subject;
  const goals = [...experiment.goals, ...experiment.guardrails];
  const [first] = goals;
  if (first === undefined) {
    return null;
  }
  const path = experimentPagePath(project.id, experiment.id);
  const call = seriesCall({ projectId: project.id, experimentId: experiment.id, goal: first.id });
  return (
    <section class="card stack screen-only" aria-labelledby="downloads">
      <h2 id="downloads">Download figures</h2>
      <p class="muted">One CSV file for each goal, with participants, conversions and changes by day.</p>
      <ul class="action-links plain-list">
        {goals.map(({ id, name }, index) => (
          <li key={id}>
            <a href={`${frame.base}${path}/goals/${id}/series`}>
              <Name>{name}</Name> ({index >= experiment.goals.length && 'guardrail, '}CSV)
            </a>
          </li>
        ))}
      </ul>
      <ShowAsCurl id="download-curl" frame={frame} call={call} />
    </section>
  );
}
