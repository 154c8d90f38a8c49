import type { Frame } from '../../account/pages/frame';
import { formatMicros } from '../../common/time/clock';
import { STATUSES } from '../../experiments/experiment-status';
import { type Column, Table } from '../../presentation/components/table';
import { Moment, Name, None } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { formatCount } from '../../presentation/text/numbers';
import { StatusBadge, statusName } from '../../sharing/page/badges';
import { ConsolePage, experimentPagePath, projectPath, SEARCH_PATH } from '../pages/console-page';
import { apart, Field, NameField, SearchForm, Select } from '../pages/filter-fields';
import { PageLinks } from '../pages/list-filter';
import type { SearchResult } from './experiment-search';
import type { FoundExperiment } from './experiment-search.store';
import { isFiltered, searchQuery } from './search-request';

/** The search for experiments in all the user's teams. */
export function renderSearchPage(frame: Frame, result: SearchResult): string {
  const { request, total, lastPage } = result;
  const address = `${frame.base}${SEARCH_PATH}`;
  return renderPage(
    <ConsolePage frame={frame} title="Search" section="search">
      <h1>
        Experiments in all teams <span class="count">{formatCount(total)}</span>
      </h1>
      <ExperimentFilter address={address} result={result} />
      {total === 0 ? (
        <Nothing frame={frame} result={result} />
      ) : (
        <Found frame={frame} experiments={result.experiments} />
      )}
      <PageLinks
        page={request.page}
        lastPage={lastPage}
        link={(page) => `${address}${searchQuery({ ...request, page })}`}
      />
    </ConsolePage>,
  );
}

function Nothing({ frame, result: { request, teams } }: { frame: Frame; result: SearchResult }) {
  if (isFiltered(request)) {
    return (
      <p>
        No experiments match. <a href={`${frame.base}${SEARCH_PATH}`}>Show all</a>
      </p>
    );
  }
  return (
    <p>
      {teams.length === 0 ? 'You are not in a team yet.' : 'Your teams have no experiments yet.'}{' '}
      <a href={`${frame.base}/`}>
        {teams.length === 0 ? 'See how to join a team' : 'Open one of your projects'}
      </a>
    </p>
  );
}

function ExperimentFilter({ address, result }: { address: string; result: SearchResult }) {
  const { request, teams, creators } = result;
  const statuses = STATUSES.map((status) => ({ id: status, name: statusName(status) }));
  return (
    <SearchForm address={address} isFiltered={isFiltered(request)}>
      <NameField value={request.search} />
      <Select name="status" label="Status" options={statuses} chosen={request.status} />
      <Field name="tag" label="Tag">
        <input type="search" id="tag" name="tag" value={request.tag} dir="auto" />
      </Field>
      <Select name="creator" label="Created by" options={apart(creators)} chosen={request.creator} />
      <Select name="team" label="Team" options={apart(teams)} chosen={request.team} />
    </SearchForm>
  );
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Experiment' },
  { key: 'team', title: 'Team' },
  { key: 'project', title: 'Project' },
  { key: 'status', title: 'Status' },
  { key: 'tags', title: 'Tags' },
  { key: 'creator', title: 'Created by' },
  { key: 'changed', title: 'Last change' },
];

function Found({ frame, experiments }: { frame: Frame; experiments: readonly FoundExperiment[] }) {
  const rows = experiments.map(({ id, name, status, tags, project, team, creator, updatedAt }) => ({
    key: id,
    cells: [
      <a href={`${frame.base}${experimentPagePath(project.id, id)}`}>
        <Name>{name}</Name>
      </a>,
      <Name>{team.name}</Name>,
      <a href={`${frame.base}${projectPath(project.id)}`}>
        <Name>{project.name}</Name>
      </a>,
      <StatusBadge status={status} />,
      <Tags tags={tags} />,
      creator === null ? <None reason="no user" /> : <Name>{creator}</Name>,
      <Moment at={formatMicros(updatedAt)} />,
    ],
  }));
  return (
    <div class="card found-list">
      <Table caption="Experiments" hidesCaption columns={COLUMNS} rows={rows} form="cards" />
    </div>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return tags.length === 0 ? (
    <None />
  ) : (
    <ul>
      {tags.map((tag) => (
        <li key={tag}>
          <Name>{tag}</Name>
        </li>
      ))}
    </ul>
  );
}
