import { ConfigError, loadConfig } from './config';

const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'gosset',
  OIDC_CLIENT_SECRET: 's3cret',
};

function problemOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment);
    return '';
  } catch (error) {
    return (error as ConfigError).problems.join('\n');
  }
}

describe('the OpenID Connect settings', () => {
  it('are off by default, and passwords are on', () => {
    expect(loadConfig({})).toMatchObject({ openId: null, hasPasswords: true });
  });

  it('describe the provider', () => {
    expect(loadConfig(PROVIDER)).toMatchObject({
      openId: {
        issuer: 'https://login.example.com',
        clientId: 'gosset',
        clientSecret: 's3cret',
        name: 'OpenID Connect',
        autoCreate: null,
      },
      hasPasswords: true,
    });
    const all = { ...PROVIDER, OIDC_NAME: 'Acme', OIDC_AUTO_CREATE: '7:editor', PASSWORD_SIGN_IN: 'off' };
    expect(loadConfig(all)).toMatchObject({
      openId: { name: 'Acme', autoCreate: { teamId: 7, role: 'editor' } },
      hasPasswords: false,
    });
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://localhost:8080/realms/a',
    'http://[::1]:80',
    'https://a.test/x/',
  ])('accept the issuer %s', (issuer) => {
    expect(loadConfig({ ...PROVIDER, OIDC_ISSUER: issuer }).openId?.issuer).toBe(issuer);
  });

  it.each([
    [{ OIDC_ISSUER: 'https://a.test' }, 'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.'],
    [{ OIDC_CLIENT_SECRET: 's3cret' }, 'OIDC_CLIENT_SECRET needs OIDC_ISSUER and OIDC_CLIENT_ID.'],
    [
      { OIDC_ISSUER: 'https://a.test', OIDC_CLIENT_ID: 'a' },
      'OIDC_ISSUER and OIDC_CLIENT_ID need OIDC_CLIENT_SECRET.',
    ],
    [{ OIDC_NAME: 'Acme' }, 'OIDC_NAME needs OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.'],
    [
      { PASSWORD_SIGN_IN: 'off' },
      'PASSWORD_SIGN_IN=off needs OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    ],
  ])('are rejected without related settings: %j', (environment, problem) => {
    expect(problemOf(environment as Record<string, string>)).toBe(problem);
  });

  it('are rejected if invalid, without showing the secret', () => {
    const problem = problemOf({
      ...PROVIDER,
      OIDC_ISSUER: 'http://login.example.com',
      OIDC_AUTO_CREATE: '1',
    });
    expect(problem).toContain('OIDC_ISSUER must be an https address');
    expect(problem).toContain('OIDC_AUTO_CREATE must be a team id and a role');
    expect(problem).not.toContain('s3cret');
  });
});
