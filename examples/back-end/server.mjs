// A server-rendered shop. It requests a visitor's variation from Gosset and sends payments as trusted events. Its pages
// contain the snippet, which uses the same visitor id. The project's storage must be `cookie`.
//   GOSSET_PROJECT=1 GOSSET_EXPERIMENT=1001 GOSSET_CLIENT_KEY=pk_... GOSSET_TOKEN=gos_... node examples/back-end/server.mjs
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';

const {
  GOSSET_URL: address = 'http://localhost:3000',
  GOSSET_PROJECT: project,
  GOSSET_EXPERIMENT: experiment,
  GOSSET_CLIENT_KEY: clientKey,
  GOSSET_TOKEN: token,
  PORT: port = '8080',
} = process.env;
const gosset = address.replace(/\/+$/, '');

/** Sends JSON to Gosset. On failure, throws an error that contains the response. */
async function post(path, headers, body) {
  const answer = await fetch(gosset + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(2_000),
  });
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}: ${text}`);
  }
  return JSON.parse(text);
}

/**
 * Requests a decision and records the exposure. If the visitor has no id, Gosset creates one. With `bucketing`, visitors
 * keep their variations when traffic shares change. If Gosset is unavailable, every visitor sees the original.
 */
async function decide(id, bucketing) {
  const body = { user: { id, bucketing }, selector: { experiments: [Number(experiment)] } };
  try {
    const { user, experiments } = await post('/v1/decide', { 'X-API-Key': clientKey }, body);
    return { user, variation: experiments[0]?.variation?.api_name ?? 'original' };
  } catch (error) {
    console.error(error);
    return { user: null, variation: 'original' };
  }
}

/**
 * Sends a payment with the order id as message id, so a retry is not counted twice. The response is 200 even if the event
 * is rejected, for example because its goal does not exist.
 */
async function reportPayment(visitor, orderId, amount) {
  const receipt = await post(
    `/api/projects/${project}/events?strict=1`,
    { Authorization: `Bearer ${token}` },
    {
      batch: [
        {
          type: 'track',
          event: 'paid',
          anonymousId: visitor,
          messageId: orderId,
          properties: { value: amount },
        },
      ],
    },
  );
  if (receipt.rejected > 0) {
    throw new Error(`The payment was rejected: ${JSON.stringify(receipt.errors)}`);
  }
}

/** The visitor id cookie, which the snippet also uses, and the shop's own cookie for assigned variations. */
const ID_COOKIE = `gosset_id_${clientKey}`;
const BUCKETING_COOKIE = 'shop_bucketing';

/** Returns the value of a request cookie, or an empty string if the cookie is missing or not percent-encoded. */
function cookieOf(request, name) {
  const cookies = (request.headers.cookie ?? '').split('; ');
  const value = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  try {
    return decodeURIComponent(value ?? '');
  } catch {
    return '';
  }
}

function visitorOf(request) {
  const id = cookieOf(request, ID_COOKIE);
  return /^[ -~]{1,64}$/.test(id) ? id : undefined;
}

/** The variations that were assigned to this visitor. */
function bucketingOf(request, visitor) {
  try {
    return JSON.parse(cookieOf(request, BUCKETING_COOKIE))[visitor];
  } catch {
    return undefined;
  }
}

/** The cookies are not HttpOnly, because the snippet reads the id. Add Secure if the shop uses https. */
const cookie = (name, value) =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=31536000; SameSite=Lax`;

const cookiesFor = ({ id, bucketing }) => [
  cookie(ID_COOKIE, id),
  cookie(BUCKETING_COOKIE, JSON.stringify({ [id]: bucketing })),
];

/** If you need consent before you recognize visitors, check it here. */
const hasConsent = (request) => request.headers['sec-gpc'] !== '1';

const page = (content) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Shop</title>
    <script src="${gosset}/s/${clientKey}.js"></script>
  </head>
  <body>
    <p>${content}</p>
    <form method="post" action="/pay"><button>Pay 49.90</button></form>
  </body>
</html>
`;

async function answer(request, response) {
  const known = hasConsent(request) ? visitorOf(request) : undefined;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (request.method === 'POST' && request.url === '/pay') {
    if (known !== undefined) {
      await reportPayment(known, randomUUID(), 49.9).catch(console.error); // The payment succeeds even if Gosset is unavailable.
    }
    response.end(page('Thank you'));
  } else if (request.url === '/' && hasConsent(request)) {
    const { user, variation } = await decide(known, bucketingOf(request, known));
    if (user !== null) {
      response.setHeader('Set-Cookie', cookiesFor(user));
    }
    response.end(page(variation === 'free' ? 'Free shipping' : 'Shipping 4.90'));
  } else if (request.url === '/') {
    response.end(page('Shipping 4.90'));
  } else {
    response.statusCode = 404;
    response.end(page('Not found'));
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
