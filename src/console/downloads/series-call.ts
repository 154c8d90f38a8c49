import type { RawQuery } from '../../common/lists/list-query';
import type { ApiCall } from '../curl';

interface SeriesPlace {
  projectId: number;
  experimentId: number;
  /** Its id. */
  goal: number | string;
}

/** The API call for the figures of a goal by day. @param query the filter of the results */
export function seriesCall({ projectId, experimentId, goal }: SeriesPlace, query: RawQuery = {}): ApiCall {
  const filter = new URLSearchParams(
    Object.entries(query).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    ),
  );
  const path = `/api/projects/${projectId}/experiments/${experimentId}/results/goal/${encodeURIComponent(goal)}/download`;
  return { method: 'GET', path: filter.size === 0 ? path : `${path}?${filter.toString()}` };
}
