const PASSWORD_SIGN_IN_CHOICES = ['on', 'off'] as const;

/** The sign-in variables, which are part of the table in `settings.ts`. */
export const SIGN_IN_SETTINGS = {
  OIDC_ISSUER: {
    type: 'string',
    format: 'issuer',
    'x-message':
      'must be an https address of at most 255 characters without a query, such as https://login.example.com (http on this machine only)',
    'x-default': 'none',
    examples: ['https://login.example.com'],
    description:
      'Issuer of the [OpenID Connect](sign-in.md) provider, exactly as in its metadata. Requires `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`.',
  },
  OIDC_CLIENT_ID: {
    type: 'string',
    'x-default': 'none',
    examples: ['gosset'],
    description: 'Client id registered with the provider.',
  },
  OIDC_CLIENT_SECRET: {
    type: 'string',
    'x-secret': true,
    'x-default': 'none',
    examples: [''],
    description: 'Client secret registered with the provider.',
  },
  OIDC_NAME: {
    type: 'string',
    maxLength: 60,
    'x-message': 'must have at most 60 characters',
    'x-default': '`OpenID Connect`',
    examples: ['Example Login'],
    description: 'Name of the provider on the sign-in page: "Sign in with ...".',
  },
  OIDC_AUTO_CREATE: {
    type: 'string',
    format: 'membership',
    'x-message': 'must be a team id and a role, such as 1:viewer (viewer, editor, publisher or admin)',
    'x-default': 'off',
    examples: ['1:viewer'],
    description:
      'Team and role, as `<team id>:<role>`, for unknown users, who are created when they first sign in with the provider. If it is not set, unknown users are refused.',
  },
  PASSWORD_SIGN_IN: {
    type: 'string',
    enum: PASSWORD_SIGN_IN_CHOICES,
    default: 'on',
    description:
      'Whether users can sign in with passwords: `on`, or `off` to accept [OpenID Connect](sign-in.md#without-passwords) only.',
  },
} as const;
