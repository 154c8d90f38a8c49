import type { Frame } from '../../account/pages/frame';
import { Column, Table } from '../../presentation/components/table';
import { Moment, Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import { plainName } from '../../presentation/text/words';
import { ConsolePage } from '../pages/console-page';
import { memberPath, membersCrumbs, membersPath } from './member-forms';
import type { ListedMember, TeamSubject } from './team-subject';

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Name' },
  { key: 'email', title: 'E-mail address', isWide: true },
  { key: 'role', title: 'Role' },
  { key: 'since', title: 'Member since' },
  { key: 'actions', title: 'Actions' },
];

export interface MembersPage {
  subject: TeamSubject;
  members: readonly ListedMember[];
  notice: string | null;
}

/** The page that lists a team's members. */
export function renderMembersPage(frame: Frame, { subject, members, notice }: MembersPage): string {
  const { team } = subject;
  const title = `Members of ${team.name}`;
  return renderPage(
    <ConsolePage frame={frame} title={title} crumbs={membersCrumbs(subject)} notice={notice}>
      <header class="team-head">
        <h1>
          Members of <Name>{team.name}</Name>
        </h1>
        <a class="button" href={`${frame.base}${membersPath(team.id)}/add`}>
          Add a member
        </a>
      </header>
      <section class="card">
        <Table
          caption="Members"
          columns={COLUMNS}
          rows={members.map((member) => rowOf(frame, subject, member))}
          form="cards"
        />
      </section>
    </ConsolePage>,
  );
}

function rowOf(frame: Frame, subject: TeamSubject, member: ListedMember) {
  return {
    key: member.user_id,
    cells: [
      <Name>{member.name}</Name>,
      <Name>{member.email}</Name>,
      <>
        {member.role}
        {member.isInvitable && <span class="small muted"> (invited, no password yet)</span>}
      </>,
      <Moment at={member.created_at} />,
      <Actions frame={frame} subject={subject} member={member} />,
    ],
  };
}

function Actions({ frame, subject, member }: { frame: Frame; subject: TeamSubject; member: ListedMember }) {
  const address = (form: string): string => `${frame.base}${memberPath({ ...subject, member }, form)}`;
  const name = plainName(member.name);
  return (
    <ul class="plain-list action-links">
      <li>
        <a href={address('role')} aria-label={`Change role of ${name}`}>
          Change role
        </a>
      </li>
      {member.isInvitable && (
        <li>
          <a href={address('invitation')} aria-label={`New link for ${name}`}>
            New link
          </a>
        </li>
      )}
      <li>
        <a class="danger-link" href={address('remove')} aria-label={`Remove ${name}`}>
          Remove
        </a>
      </li>
    </ul>
  );
}
