/** Reference texts of the team list. */
export const TEAM_LIST = {
  id: 'listTeams',
  summary: 'List the teams of the user',
  description: `Start here: there is no list of all projects, so take a team id from this list and list the projects of the team.
The list contains the teams in which the token's owner has a role.`,
};
