import type { Frame } from '../../account/pages/frame';
import type { RawQuery } from '../../common/lists/list-query';
import { Name } from '../../presentation/components/text';
import type { ResultFilter } from '../../results/experiment-results';
import { sharedQuery, isFiltered } from '../../sharing/filter';
import type { ApiCall } from '../curl';
import type { ExperimentSubject } from '../experiment-subject';
import { experimentPagePath } from '../pages/console-page';
import { ShowAsCurl } from '../pages/show-as-curl';

interface SeriesPlace {
  projectId: number;
  experimentId: number;
  /** The id of the goal. */
  goal: number | string;
}

/** The API call for a goal's daily figures. @param query the filter of the results */
export function seriesCall({ projectId, experimentId, goal }: SeriesPlace, query: RawQuery = {}): ApiCall {
  const filter = new URLSearchParams(
    Object.entries(query).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    ),
  );
  const path = `/api/projects/${projectId}/experiments/${experimentId}/results/goal/${encodeURIComponent(goal)}/download`;
  return { method: 'GET', path: filter.size === 0 ? path : `${path}?${filter.toString()}` };
}

interface DownloadsCardProps {
  frame: Frame;
  subject: ExperimentSubject;
  /** The filter of the results on the page. */
  filter: ResultFilter;
  /** Whether any goal has a conversion window. */
  hasWindows: boolean;
}

/** Links to each goal's daily figures as CSV, with the page's filter applied. */
export function DownloadsCard({ frame, subject, filter, hasWindows }: DownloadsCardProps) {
  const { project, experiment } = subject;
  const goals = [...experiment.goals, ...experiment.guardrails];
  const [first] = goals;
  if (first === undefined) {
    return null;
  }
  const path = experimentPagePath(project.id, experiment.id);
  const query = sharedQuery(filter);
  const place = { projectId: project.id, experimentId: experiment.id, goal: first.id };
  const call = seriesCall(place, Object.fromEntries(new URLSearchParams(query)));
  return (
    <section class="card stack screen-only" aria-labelledby="downloads">
      <h2 id="downloads">Download figures</h2>
      <p class="muted">
        One CSV file for each goal, with participants, conversions and values by day
        {isFiltered(filter, hasWindows) && ', for the participants selected above'}.
      </p>
      <ul class="action-links plain-list">
        {goals.map(({ id, name }, index) => (
          <li key={id}>
            <a href={`${frame.base}${path}/goals/${id}/series${query}`}>
              <Name>{name}</Name> ({index >= experiment.goals.length && 'guardrail, '}CSV)
            </a>
          </li>
        ))}
      </ul>
      <ShowAsCurl id="download-curl" frame={frame} call={call} />
    </section>
  );
}
