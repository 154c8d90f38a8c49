/** Reference texts of the team list. */
export const TEAM_LIST = {
  id: 'listTeams',
  summary: 'List the teams of the user',
  description: `Start here: there is no list of all projects, so take a team id from this list and list the projects of the team.
The list contains the teams in which the token's owner has a role.`,
};

/** Reference texts of members. */
export const MEMBER_TEXTS = {
  list: {
    id: 'listMembers',
    summary: 'List the members of a team',
    description:
      'The users with a role in the team. Only admins of the team may list them. `sort=id` is the user id.',
  },
  show: {
    id: 'showMember',
    summary: 'Show a member',
    description: 'One user with a role in the team.',
  },
  add: {
    id: 'addMember',
    summary: 'Add a member',
    description: `A user with this e-mail address joins the team. If there is none, a user without a password is created, and
\`invitation_url\` is a link to set one. Send it to the person: Gosset sends no e-mail, and does not verify the address. The link
works once, for 7 days, and is shown in this response only. For a lost or expired link, create a new invitation. The unused link of an
invited user stops working if you do not manage all teams of the user.`,
  },
  update: {
    id: 'updateMember',
    summary: "Change a member's role",
    description: 'The new role applies immediately. The last admin of a team cannot get another role.',
  },
  remove: {
    id: 'removeMember',
    summary: 'Remove a member',
    description: `The user loses access to the team immediately, with all tokens, and an unused invitation link stops working. The user
is not deleted. The last admin of a team cannot be removed.`,
  },
  invite: {
    id: 'inviteMember',
    summary: 'Create a new invitation',
    description: `A new link for an invited member who has not set a password yet. It replaces the previous link. Rejected for users
who have a password, who were not invited, or who are in a team that you do not manage.`,
  },
} as const;
