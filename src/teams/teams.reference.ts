/** What the reference says about the list of teams. */
export const TEAM_LIST = {
  id: 'listTeams',
  summary: 'List the teams of the user',
  description: `The first thing to ask: there is no list of all projects, so take the id of a team from here and list its projects.
The list has the teams in which the owner of the token has a role.`,
};
