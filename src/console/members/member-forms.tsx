import { type Role, ROLES } from '../../platform/access/roles';
import { ShownOnce } from '../../presentation/components/copied-text';
import { Name } from '../../presentation/components/text';
import type { ApiAnswer } from '../forms/api-calls';
import type { ConsoleForm } from '../forms/console-form';
import type { Crumb } from '../pages/console-page';
import { Choices, TextInput } from '../pages/form-fields';
import type { MemberSubject, TeamSubject } from './team-subject';

/** An invitation link with a copy button. No other page shows the link. */
function InvitationLink({ email, url }: { email: string; url: string }) {
  return (
    <ShownOnce id="invitation" title="Copy the invitation link now" label="Invitation link" secret={url}>
      Send it to <bdi>{email}</bdi>. It is shown only once, can be used once, and is valid for 7 days. Anyone
      with the link can set this user’s password.
    </ShownOnce>
  );
}

/** The path of a team's members, both in the console and under `/api`. */
export const membersPath = (teamId: number): string => `/teams/${teamId}/members`;

/** The path of a member's form. */
export const memberPath = ({ team, member }: MemberSubject, form: string): string =>
  `${membersPath(team.id)}/${member.user_id}/${form}`;

const apiPathOf = ({ team, member }: MemberSubject): string =>
  `/api${membersPath(team.id)}/${member.user_id}`;

export const membersCrumbs = ({ team }: TeamSubject): Crumb[] => [
  { path: membersPath(team.id), name: `Members of ${team.name}` },
];

const ALLOWS: Readonly<Record<Role, string>> = {
  viewer: 'Reads all team data',
  editor: 'Also creates, changes and previews experiments',
  publisher: 'Also starts, pauses and archives experiments, publishes, and changes project settings',
  admin: 'Also manages members, creates and deletes projects, and changes environments',
};

const ROLE_OPTIONS = ROLES.map((role) => ({
  value: role,
  label: (
    <>
      {role}
      <span class="range">{ALLOWS[role]}</span>
    </>
  ),
}));

/** The page shown after a response that contains a link. The link is shown only once. */
const revealed = ({ body }: ApiAnswer) => {
  const { email, invitation_url: url } = body as { email: string; invitation_url: string | null };
  return url === null ? null : <InvitationLink email={email} url={url} />;
};

/** Adds a user to the team. */
export const ADD_FORM: ConsoleForm<TeamSubject> = {
  path: ({ team }) => `${membersPath(team.id)}/add`,
  crumbs: membersCrumbs,
  title: () => 'Add a member',
  permission: () => 'members:manage',
  values: () => ({ email: '', name: '', role: 'viewer' }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="email" label="E-mail address" />
      <TextInput
        form={form}
        name="name"
        label="Name"
        hint="For a new user. An existing user keeps their name."
      />
      <Choices form={form} name="role" label="Role" options={ROLE_OPTIONS} />
      <p class="small muted">
        For a new user, the next page shows an invitation link. Gosset sends no e-mail.
      </p>
    </>
  ),
  button: () => 'Add member',
  call: ({ team }, { email = '', name = '', role }) => ({
    method: 'POST',
    path: `/api${membersPath(team.id)}`,
    body: { email, ...(name.trim() !== '' && { name }), role },
  }),
  reveal: (_, answer) => revealed(answer),
  done: ({ team }) => ({ path: membersPath(team.id), notice: 'memberAdded' }),
};

/** A note for changes to an admin. */
const WithdrawnLinks = ({ subject, when }: { subject: MemberSubject; when: string }) =>
  subject.member.role === 'admin' ? (
    <p class="small muted">{when}, unused invitation links of the team’s members stop working.</p>
  ) : null;

/** Changes the role of a member. */
export const ROLE_FORM: ConsoleForm<MemberSubject> = {
  path: (subject) => memberPath(subject, 'role'),
  crumbs: membersCrumbs,
  title: () => 'Change the role',
  permission: () => 'members:manage',
  etag: ({ member }) => member.etag,
  values: ({ member }) => ({ role: member.role }),
  Body: ({ subject, form }) => (
    <>
      <Person subject={subject} />
      <Choices form={form} name="role" label="Role" options={ROLE_OPTIONS} />
      <WithdrawnLinks subject={subject} when="If an admin gets another role" />
    </>
  ),
  button: () => 'Save',
  call: (subject, { role }) => ({ method: 'PATCH', path: apiPathOf(subject), body: { role } }),
  // Users who are no longer admins are not allowed to see the member list.
  done: ({ team, userId }, { body }) => {
    const { user_id, role } = body as { user_id: number; role: Role };
    const isOwn = user_id === userId && role !== 'admin';
    return { path: isOwn ? '/' : membersPath(team.id), notice: 'saved' };
  },
};

/** Removes a member. */
export const REMOVE_FORM: ConsoleForm<MemberSubject> = {
  path: (subject) => memberPath(subject, 'remove'),
  crumbs: membersCrumbs,
  title: () => 'Remove the member?',
  permission: () => 'members:manage',
  etag: ({ member }) => member.etag,
  values: () => ({}),
  Body: ({ subject }) => (
    <>
      <Person subject={subject} />
      <p>
        {subject.member.user_id === subject.userId
          ? 'You and all your tokens lose access to the team immediately.'
          : 'The user and all of the user’s tokens lose access to the team immediately. The user is not deleted.'}
      </p>
      <WithdrawnLinks subject={subject} when="After an admin is removed" />
    </>
  ),
  button: () => 'Remove',
  isDanger: true,
  call: (subject) => ({ method: 'DELETE', path: apiPathOf(subject) }),
  done: ({ team, userId, member }) => ({
    path: member.user_id === userId ? '/' : membersPath(team.id),
    notice: 'memberRemoved',
  }),
};

/** Creates a new invitation link. */
export const INVITE_FORM: ConsoleForm<MemberSubject> = {
  path: (subject) => memberPath(subject, 'invitation'),
  crumbs: membersCrumbs,
  title: () => 'New invitation link',
  permission: () => 'members:manage',
  values: () => ({}),
  Body: ({ subject }) => (
    <>
      <Person subject={subject} />
      <p>The new link can be used once and is valid for 7 days. The previous link stops working.</p>
    </>
  ),
  button: () => 'Create a new link',
  call: (subject) => ({ method: 'POST', path: `${apiPathOf(subject)}/invitation` }),
  reveal: (_, answer) => revealed(answer),
  done: ({ team }) => ({ path: membersPath(team.id), notice: 'memberInvited' }),
};

function Person({ subject: { member } }: { subject: MemberSubject }) {
  return (
    <p>
      <strong>
        <Name>{member.name}</Name>
      </strong>
      , <Name>{member.email}</Name>
    </p>
  );
}
