import type { Role } from '../../platform/access/roles';
import type { Services } from '../application';
import { addCommand, CommandGroup } from '../command';
import type { AdminContext } from '../context';
import { email, id, name, oneOf, optional, required } from '../options';
import { tableText } from '../output';
import { RefusedError } from '../refusals';
import { findUser, requireTeam } from './lookups';

const ROLES: Record<Role, string> = {
  viewer: 'reads all team data',
  editor: 'also creates, changes and previews experiments and their parts',
  publisher: 'also starts, pauses and archives experiments, publishes, and changes project settings',
  admin: 'also manages members, creates and deletes projects, and changes environments',
};

const teamOption = required('--team <id>', 'id of the team', id);
const emailOption = required('--email <address>', 'e-mail address of the user', email);
const roleOption = required('--role <role>', 'what the user may do in the team', oneOf(ROLES));

/** A user's role in a team; null if the user is not a member. */
interface ChangedMembership {
  team_id: number;
  user_id: number;
  email: string;
  role: Role | null;
}

/** Changes a user's membership in a team. @param change returns false if the change is not possible */
async function changeMember(
  context: AdminContext,
  member: { team: number; email: string; role: Role | null },
  change: (services: Services, userId: number) => Promise<boolean>,
  refusal: string,
): Promise<ChangedMembership> {
  const services = await context.services();
  await requireTeam(services, member.team);
  const user = await findUser(services, member.email);
  if (!(await change(services, user.id))) {
    throw new RefusedError(`${user.email} ${refusal} of team ${member.team}.`);
  }
  return { team_id: member.team, user_id: user.id, email: user.email, role: member.role };
}

function addCreateAndList(group: CommandGroup): void {
  addCommand(group, {
    name: 'teams:create',
    summary: 'Create a team',
    options: { name: required('--name <name>', 'name of the team', name) },
    examples: ['--name Growth', '--name Growth --json'],
    run: async ({ name: teamName }, context) => (await context.services()).teams.create(teamName, 'admin'),
  });
  addCommand(group, {
    name: 'teams:list',
    summary: 'List the teams',
    options: { name: optional('--name <name>', 'only teams with this name', name) },
    examples: ['', '--json'],
    run: async ({ name: wanted }, context) => {
      const { teams } = await context.services();
      const all = await teams.all();
      return all.filter((team) => wanted === undefined || team.name === wanted);
    },
    show: (teams) => tableText(teams, ['id', 'name', 'created_at', 'updated_at'], 'There are no teams.'),
  });
}

function addMembership(group: CommandGroup): void {
  addCommand(group, {
    name: 'teams:add-member',
    summary: 'Make a user a member of a team',
    options: { team: teamOption, email: emailOption, role: roleOption },
    examples: ['--team 1 --email ada@example.com --role editor'],
    run: ({ team, email: address, role }, context) =>
      changeMember(
        context,
        { team, email: address, role },
        ({ teams }, userId) => teams.addMember(team, userId, role, 'admin'),
        'is already a member',
      ),
  });
  addCommand(group, {
    name: 'teams:set-role',
    summary: "Change a member's role",
    options: { team: teamOption, email: emailOption, role: roleOption },
    examples: ['--team 1 --email ada@example.com --role publisher'],
    run: ({ team, email: address, role }, context) =>
      changeMember(
        context,
        { team, email: address, role },
        ({ teams }, userId) => teams.setRole(team, userId, role, 'admin'),
        'is not a member',
      ),
  });
  addCommand(group, {
    name: 'teams:remove-member',
    summary: 'Remove a user from a team',
    options: { team: teamOption, email: emailOption },
    examples: ['--team 1 --email ada@example.com'],
    run: ({ team, email: address }, context) =>
      changeMember(
        context,
        { team, email: address, role: null },
        ({ teams }, userId) => teams.removeMember(team, userId, 'admin'),
        'is not a member',
      ),
  });
}

export function addTeamCommands(group: CommandGroup): void {
  addCreateAndList(group);
  addMembership(group);
}
