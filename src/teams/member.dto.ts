import { ApiSchema } from '@nestjs/swagger';
import { ROLES } from '../platform/access/roles';
import type { Role } from '../platform/access/roles';
import { MAX_NAME } from '../common/text/names';
import { OneOfField, TextField } from '../common/validation/body-fields';
import { ConstrainedField, Trimmed } from '../common/validation/fields';
import { matchingRules, Rule, textRules } from '../common/validation/rules';
import { EMAIL, isShortEmail, MAX_EMAIL } from '../users/email';

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
      description: 'E-mail address of the user. Upper and lower case do not matter.',
    },
    { required: true },
  )
  email: string;

  @Trimmed()
  @TextField(MAX_NAME, {
    min: 1,
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
