import { type Role, roleAllows } from '../../platform/access/roles';
import type { Frame } from '../../account/pages/frame';
import { CopiedText } from '../../presentation/components/copied-text';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { plainName, plural } from '../../presentation/text/words';
import { ExperimentStatus, STATUSES } from '../../experiments/experiment-status';
import { statusName } from '../../sharing/page/badges';
import { shellWord } from '../curl';
import type { HomeProject, HomeTeam } from '../home.store';
import { listQuery } from '../list-request';
import { membersPath } from '../members/member-forms';
import { newExperimentPath, newProjectPath } from '../project-forms/paths';
import { ConsolePage, experimentPagePath, projectPath, SEARCH_PATH } from './console-page';

/** The first page, which lists the user's teams and projects. */
export function renderHomePage(frame: Frame, teams: readonly HomeTeam[], notice: string | null): string {
  return renderPage(
    <ConsolePage frame={frame} title="Experiments" notice={notice}>
      <header class="masthead">
        <h1>Experiments</h1>
        <p class="page-links">
          <a href={`${frame.base}${SEARCH_PATH}`}>Search experiments</a>
        </p>
      </header>
      {teams.length === 0 && <NoTeam email={frame.email ?? ''} />}
      {teams.map((team) => (
        <Team key={team.id} frame={frame} team={team} />
      ))}
    </ConsolePage>,
  );
}

function NoTeam({ email }: { email: string }) {
  return (
    <section class="card stack">
      <h2>You are not in a team yet</h2>
      <p>
        Experiments belong to projects, and projects to teams. A server administrator can add you to a team
        with these commands. The first command lists the teams with their ids.
      </p>
      <CopiedText id="add-member" label="Commands on the server">
        {`npm run -s admin -- teams:list\nnpm run -s admin -- teams:add-member --team TEAM_ID --email ${shellWord(email)} --role editor`}
      </CopiedText>
    </section>
  );
}

function Team({ frame, team }: { frame: Frame; team: HomeTeam }) {
  const id = `team-${team.id}`;
  return (
    <section class="team" aria-labelledby={id}>
      <header class="team-head">
        <h2 id={id}>
          <Name>{team.name}</Name>
        </h2>
        <p class="muted small">
          Your role: <strong>{team.role}</strong>
          {roleAllows(team.role, 'members:manage') && (
            <>
              {' · '}
              <a href={`${frame.base}${membersPath(team.id)}`}>Members</a>
            </>
          )}
          {roleAllows(team.role, 'projects:create') && (
            <>
              {' · '}
              <a href={`${frame.base}${newProjectPath(team.id)}`}>New project</a>
            </>
          )}
        </p>
      </header>
      {team.projects.length === 0 && <NoProject frame={frame} team={team} />}
      {team.projects.length > 0 && (
        <ul class="projects">
          {team.projects.map((project) => (
            <li key={project.id} class="card stack">
              <Project frame={frame} project={project} role={team.role} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function NoProject({ frame, team }: { frame: Frame; team: HomeTeam }) {
  return (
    <div class="card stack">
      <h3>No project yet</h3>
      {roleAllows(team.role, 'projects:create') ? (
        <p>
          <a class="button" href={`${frame.base}${newProjectPath(team.id)}`}>
            Create the first project
          </a>
        </p>
      ) : (
        <>
          <p>
            A team admin can create a project here, or a server administrator can run this command. A site
            usually has one project.
          </p>
          <CopiedText id={`create-project-${team.id}`} label="Command on the server">
            {`npm run -s admin -- projects:create --team ${team.id} --name Shop`}
          </CopiedText>
        </>
      )}
    </div>
  );
}

function Project({ frame, project, role }: { frame: Frame; project: HomeProject; role: Role }) {
  const { id, name, counts, running } = project;
  const address = `${frame.base}${projectPath(id)}`;
  const more = (counts.get('running') ?? 0) - running.length;
  return (
    <>
      <h3>
        <a href={address}>
          <Name>{name}</Name>
        </a>
      </h3>
      {counts.size === 0 ? (
        <p class="muted">
          No experiments yet.{' '}
          {roleAllows(role, 'definitions:write') && (
            <a
              href={`${frame.base}${newExperimentPath(id)}`}
              aria-label={`Create the first one in ${plainName(name)}`}
            >
              Create the first one
            </a>
          )}
        </p>
      ) : (
        <Counts address={address} counts={counts} />
      )}
      {running.length > 0 && (
        <div>
          <p class="eyebrow">Running now</p>
          <ul class="running">
            {running.map((experiment) => (
              <li key={experiment.id}>
                <a href={`${frame.base}${experimentPagePath(id, experiment.id)}`}>
                  <Name>{experiment.name}</Name>
                </a>
              </li>
            ))}
          </ul>
          {more > 0 && <p class="small muted">And {plural(more, 'other')}.</p>}
        </div>
      )}
    </>
  );
}

function Counts({ address, counts }: { address: string; counts: ReadonlyMap<ExperimentStatus, number> }) {
  return (
    <ul class="counts">
      {STATUSES.flatMap((status) => {
        const count = counts.get(status) ?? 0;
        return count === 0
          ? []
          : [
              <li key={status}>
                <a
                  class={`status status-${status}`}
                  href={`${address}${listQuery({ status, search: '', page: 1 })}`}
                >
                  {count} {statusName(status).toLowerCase()}
                </a>
              </li>,
            ];
      })}
    </ul>
  );
}
