import { listed } from '../common/text/strings';
import { membershipIn } from './formats';
import type { SettingName, SettingValues } from './settings';

/** The OpenID Connect provider that users sign in with. */
export interface OpenIdTarget {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The provider's name on the sign-in page. */
  name: string;
  /** Team and role of unknown users; null to reject them. */
  autoCreate: { teamId: number; role: string } | null;
}

const REQUIRED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
const OPTIONAL = ['OIDC_NAME', 'OIDC_AUTO_CREATE'] as const;
const DEFAULT_NAME = 'OpenID Connect';

/** The provider; null if there is none. */
export function openIdTarget(values: SettingValues): OpenIdTarget | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    return null;
  }
  const autoCreate = values.OIDC_AUTO_CREATE === undefined ? null : membershipIn(values.OIDC_AUTO_CREATE);
  return { issuer, clientId, clientSecret, name: values.OIDC_NAME ?? DEFAULT_NAME, autoCreate };
}

/**
 * The problems with sign-in variables that require other variables.
 * @param given whether a variable has a value, valid or not
 */
export function signInProblems(values: SettingValues, given: (name: SettingName) => boolean): string[] {
  const missing = REQUIRED.filter((name) => !given(name));
  if (missing.length === 0) {
    return [];
  }
  const needing: string[] = [...REQUIRED, ...OPTIONAL].filter((name) => values[name] !== undefined);
  const all = values.PASSWORD_SIGN_IN === 'off' ? [...needing, 'PASSWORD_SIGN_IN=off'] : needing;
  const verb = all.length === 1 ? 'needs' : 'need';
  return all.length === 0 ? [] : [`${listed(all)} ${verb} ${listed(missing)}.`];
}
