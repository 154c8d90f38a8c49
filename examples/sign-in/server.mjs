// An application whose visitors are anonymous at first and sign in later. It stores the visitor id in its own session and
// passes it to the snippet. When a visitor signs in, the application links the visitor id to the user id.
//   GOSSET_PROJECT=1 GOSSET_CLIENT_KEY=pk_... GOSSET_TOKEN=gos_... node examples/sign-in/server.mjs
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { URLSearchParams } from 'node:url';

const {
  GOSSET_URL: address = 'http://localhost:3000',
  GOSSET_PROJECT: project,
  GOSSET_CLIENT_KEY: clientKey,
  GOSSET_TOKEN: token,
  COOKIE_DOMAIN: domain,
  PORT: port = '8080',
} = process.env;
const gosset = address.replace(/\/+$/, '');

/** Sends messages to Gosset. If the request fails or a message is rejected, throws an error that contains the response. */
async function send(path, headers, messages) {
  const answer = await fetch(`${gosset}${path}?strict=1`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ batch: messages }),
    signal: AbortSignal.timeout(2_000),
  });
  const receipt = await answer.text();
  if (!answer.ok || JSON.parse(receipt).rejected > 0) {
    throw new Error(`${path} answered ${answer.status}: ${receipt}`);
  }
}

/** Links the two ids, so both count as the same participant. */
const identify = ({ visitor, user }) =>
  send('/v1/batch', { 'X-API-Key': clientKey }, [{ type: 'identify', anonymousId: visitor, userId: user }]);

/** Sends a conversion for the goal `subscribed` as a trusted event. See the server-rendered shop for retries. */
const reportSubscription = ({ visitor, user }) =>
  send(`/api/projects/${project}/events`, { Authorization: `Bearer ${token}` }, [
    { type: 'track', event: 'subscribed', anonymousId: visitor, userId: user, messageId: randomUUID() },
  ]);

/** Sessions by cookie value. A real application stores them in a database. */
const sessions = new Map();

/**
 * Add Secure if the application uses https. If the site has subdomains, the cookie needs its domain, so that all
 * subdomains use the same visitor id.
 */
const sessionCookie = (key) =>
  `session=${key}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax${domain ? `; Domain=${domain}` : ''}`;

/** Stores the session under a new key. The old key becomes invalid. */
function renew(session, response) {
  sessions.delete(session.key);
  session.key = randomUUID();
  sessions.set(session.key, session);
  response.setHeader('Set-Cookie', sessionCookie(session.key));
  return session;
}

/** Returns the session of the request, or creates a session with a new visitor id. */
function sessionOf(request, response) {
  const [, key] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
  return sessions.get(key) ?? renew({ visitor: randomUUID(), user: null }, response);
}

/**
 * If you need consent before you recognize visitors, check it here. Without consent, the application sends nothing to
 * Gosset, the page does not contain the visitor id, and the snippet waits. After consent, reload the page to set the id.
 */
const hasConsent = (request) => request.headers['sec-gpc'] !== '1';

const snippetWith = (visitor) => `<script>
      window.gosset = window.gosset || [];
      gosset.push({ eventType: 'setVisitorId', visitorId: '${visitor}' });
    </script>
    <script src="${gosset}/s/${clientKey}.js"></script>`;

const SNIPPET_WITHOUT_CONSENT = `<script src="${gosset}/s/${clientKey}.js" data-consent="required"></script>`;

const page = ({ visitor, user }, isAllowed) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Application</title>
    ${isAllowed ? snippetWith(visitor) : SNIPPET_WITHOUT_CONSENT}
  </head>
  <body>
    <h1>${user === null ? 'Hello' : `Hello, ${user}`}</h1>
    <form method="post" action="/sign-in"><input name="user" aria-label="User" /><button>Sign in</button></form>
    <form method="post" action="/subscribe"><button>Subscribe</button></form>
  </body>
</html>
`;

/**
 * Replace this with your own password check. The session gets a new key, because somebody else may know the old one
 * (session fixation). The visitor id stays the same.
 */
async function signIn(request, response, session) {
  const user = new URLSearchParams(await text(request)).get('user') ?? '';
  session.user = /^[\w-]{1,40}$/.test(user) ? user : null;
  renew(session, response);
}

async function answer(request, response) {
  const session = sessionOf(request, response);
  const action = `${request.method} ${request.url}`;
  if (action === 'POST /sign-in') {
    await signIn(request, response, session);
    if (session.user !== null && hasConsent(request)) {
      await identify(session).catch(console.error); // Users can sign in even if Gosset is unavailable.
    }
  } else if (action === 'POST /subscribe' && session.user !== null && hasConsent(request)) {
    await reportSubscription(session).catch(console.error);
  }
  if (request.method === 'POST') {
    response.writeHead(303, { Location: '/' }).end();
  } else {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'private, no-store'); // Every visitor gets a different page.
    response.end(page(session, hasConsent(request)));
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.statusCode = 502;
    response.end('Please try again.\n');
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
