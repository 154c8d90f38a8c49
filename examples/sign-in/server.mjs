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

/** Returns the session of the request, or creates a session with a new visitor id. */
function sessionOf(request, response) {
  const [, known] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
  if (sessions.has(known)) {
    return sessions.get(known);
  }
  const session = { visitor: randomUUID(), user: null };
  const key = randomUUID();
  sessions.set(key, session);
  response.setHeader('Set-Cookie', `session=${key}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`);
  return session;
}

/** If you need consent before you recognize visitors, check it here. */
const hasConsent = (request) => request.headers['sec-gpc'] !== '1';

const page = ({ visitor, user }) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Application</title>
    <script>
      window.gosset = window.gosset || [];
      gosset.push({ eventType: 'setVisitorId', visitorId: '${visitor}' });
    </script>
    <script src="${gosset}/s/${clientKey}.js"></script>
  </head>
  <body>
    <h1>${user === null ? 'Hello' : `Hello, ${user}`}</h1>
    <form method="post" action="/sign-in"><input name="user" aria-label="User" /><button>Sign in</button></form>
    <form method="post" action="/subscribe"><button>Subscribe</button></form>
  </body>
</html>
`;

/** Replace this with your own password check. */
async function signIn(request, session) {
  const user = new URLSearchParams(await text(request)).get('user') ?? '';
  session.user = /^[\w-]{1,40}$/.test(user) ? user : null;
}

async function answer(request, response) {
  const session = sessionOf(request, response);
  const action = `${request.method} ${request.url}`;
  if (action === 'POST /sign-in') {
    await signIn(request, session);
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
    response.end(page(session));
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
