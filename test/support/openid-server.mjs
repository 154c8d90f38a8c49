import { Buffer } from 'node:buffer';
import process from 'node:process';
import { URLSearchParams } from 'node:url';
import Provider from 'oidc-provider';

/*
 * An OpenID Connect provider. It runs in a separate process, because its packages are ES modules. Users can sign in as
 * any account by entering its name. `PUT /accounts/<name>` sets the claims of an account.
 */

const [port, clientId, clientSecret, callback, issuer = `http://127.0.0.1:${port}`] = process.argv.slice(2);
const accounts = new Map();

const provider = new Provider(issuer, {
  clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [callback] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'], profile: ['name'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  pkce: { required: () => true },
  cookies: { keys: ['a key of tests'] },
  ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
  // Consent is granted automatically.
  async loadExistingGrant(context) {
    const { client, session } = context.oidc;
    const grant = new context.oidc.provider.Grant({
      clientId: client.clientId,
      accountId: session.accountId,
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

const FORM = `<!doctype html><title>Provider</title><form method="post">
<label>Account <input name="account"></label><button>Continue</button><button name="cancel" value="yes">Cancel</button></form>`;

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) {
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};

provider.use(async (context, next) => {
  const { method, path, req, res } = context;
  if (method === 'PUT' && path.startsWith('/accounts/')) {
    accounts.set(decodeURIComponent(path.slice('/accounts/'.length)), JSON.parse(await bodyOf(req)));
    context.status = 204;
  } else if (!path.startsWith('/interaction/')) {
    await next();
  } else if (method === 'GET') {
    context.type = 'html';
    context.body = FORM;
  } else {
    const form = new URLSearchParams(await bodyOf(req));
    const result = form.has('cancel')
      ? { error: 'access_denied', error_description: '<b>no</b>' }
      : { login: { accountId: form.get('account') } };
    context.redirect(await provider.interactionResult(req, res, result, { mergeWithLastSubmission: false }));
    context.status = 303;
  }
});

provider.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
