import { ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/operation';
import { SAMPLE_IDS } from '../common/openapi/sample-ids';
import { MAX_NAME } from '../common/text/names';
import { formatMicros } from '../common/time/clock';
import { OneOfField } from '../common/validation/body-fields';
import { ConstrainedField, Output, Trimmed } from '../common/validation/fields';
import { CreatedAt, Id, Name, UpdatedAt } from '../common/validation/record-fields';
import { matchingRules, NAME_RULES, Rule, textRules } from '../common/validation/rules';
import { ROLES, type Role } from '../platform/access/roles';
import { EMAIL, isShortEmail, MAX_EMAIL } from '../users/email';
import type { MemberRow } from './team.store';
import type { Team } from './team.entity';

@ApiSchema({ description: 'A group of users who share projects. Every member has a role in the team.' })
export class TeamRecord {
  @Id()
  id: number;

  @Name()
  name: string;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: TeamRecord = {
    id: 1,
    name: 'Growth',
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toTeamRecord(row: Team): TeamRecord {
  return {
    id: row.id,
    name: row.name,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

const SHORT_ENOUGH: Rule = {
  name: 'isShortEnough',
  isMet: (value) => isShortEmail(value as string),
  message: (label) => `The ${label} may not be longer than ${MAX_EMAIL} characters.`,
};

const EMAIL_RULES = [
  ...textRules(MAX_EMAIL, 1),
  ...matchingRules(EMAIL, 'an e-mail address such as ada@example.com'),
  SHORT_ENOUGH,
];

@ApiSchema({ description: 'A user to add to the team.' })
export class AddMember {
  @Trimmed()
  @ConstrainedField(
    EMAIL_RULES,
    {
      type: 'string',
      maxLength: MAX_EMAIL,
      description: 'E-mail address of the user. Case-insensitive.',
    },
    { required: true },
  )
  email: string;

  @Trimmed()
  @ConstrainedField(NAME_RULES, {
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME,
    description:
      'Name of a new user; by default the part of the address before the @. Existing users keep theirs.',
  })
  name?: string;

  @OneOfField(ROLES, { required: true, description: 'The permissions of the user in the team.' })
  role: Role;

  static readonly example = { email: 'grace@example.com', name: 'Grace Hopper', role: 'editor' };
}

@ApiSchema({ description: 'The role to set.' })
export class UpdateMember {
  @OneOfField(ROLES, { description: 'The permissions of the user in the team.' })
  role?: Role;

  static readonly example = { role: 'publisher' };
}

@ApiSchema({ description: 'An empty object, or no body.' })
export class InviteMember {
  static readonly example = {};
}

@ApiSchema({ description: 'A user with a role in a team.' })
export class MemberRecord {
  @Id('Id of the user, also in the path.')
  user_id: number;

  @Output({ type: 'string', description: 'In lower case.' })
  email: string;

  @Name()
  name: string;

  @Output({ type: 'string', enum: [...ROLES], description: 'The permissions of the user in the team.' })
  role: Role;

  @CreatedAt()
  created_at: string;

  static readonly example: MemberRecord = {
    user_id: SAMPLE_IDS.user,
    email: 'grace@example.com',
    name: 'Grace Hopper',
    role: 'editor',
    created_at: '2026-05-01T09:30:00.123000Z',
  };
}

@ApiSchema({ description: 'A member, with a link to set a password if the user needs one.' })
export class InvitedMemberRecord extends MemberRecord {
  @Output({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: `Link for a new user to set a password. It can be used once and is valid for 7 days. Null for an existing user, and in repeated responses: the link is shown only once.`,
  })
  invitation_url: string | null;

  static override readonly example: InvitedMemberRecord = {
    ...MemberRecord.example,
    invitation_url: 'https://ab.example.com/invitation/Zk3vX0bqT5mJw8rLc2NfYh7GdPaSeUi1oKxBtR6nV4Q',
  };
}

@ApiSchema({ description: 'The member in a dry run. A new user has no id, and there is no link.' })
export class DryRunInvitedMemberRecord extends OmitType(InvitedMemberRecord, ['user_id', 'invitation_url']) {
  @Output({ type: 'integer', minimum: 1, nullable: true, description: 'Null for a new user.' })
  user_id: number | null;

  @Unstored()
  invitation_url: null;

  static readonly example = { ...MemberRecord.example, user_id: null, invitation_url: null };
}

export function toMemberRecord({ user_id, email, name, role, created_at }: MemberRow): MemberRecord {
  return { user_id, email, name, role, created_at: formatMicros(created_at) };
}
