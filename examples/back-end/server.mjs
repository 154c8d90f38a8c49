// A server-rendered shop. It requests a visitor's variation from Gosset and sends payments as trusted events. Its pages
// contain the snippet, which uses the same visitor id. The project's storage must be `cookie`.
//   GOSSET_PROJECT=1 GOSSET_EXPERIMENT=1001 GOSSET_CLIENT_KEY=pk_... GOSSET_TOKEN=gos_... node examples/back-end/server.mjs
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  GOSSET_URL: address = 'http://localhost:3000',
  GOSSET_PROJECT: project,
  GOSSET_EXPERIMENT: experiment,
  GOSSET_CLIENT_KEY: clientKey,
  GOSSET_TOKEN: token,
  COOKIE_DOMAIN: domain,
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
 * Requests a decision and records the exposure. If the visitor has no id, Gosset creates one. With `bucketing` and
 * `phases`, visitors keep their variations when traffic shares change. The visitor's user agent and language are for audiences, results by
 * device, and the detection of bots. If Gosset is unavailable, every visitor sees the original.
 */
async function decide(request, id) {
  const visitor = {
    id,
    ...assignedTo(request, id),
    device: { userAgent: request.headers['user-agent'] },
    locale: request.headers['accept-language']?.split(/[,;]/)[0],
  };
  const body = { user: visitor, selector: { experiments: [Number(experiment)] } };
  try {
    const { user, experiments } = await post('/v1/decide', { 'X-API-Key': clientKey }, body);
    return { user, variation: experiments[0]?.variation?.api_name ?? 'original' };
  } catch (error) {
    console.error(error);
    return { user: null, variation: 'original' };
  }
}

/** Seconds before each retry. */
const RETRY_AFTER = [1, 10, 60];

/** Retries a request that fails. If the shop must not lose payments when it restarts, store them in an outbox first. */
async function retry(send) {
  for (const seconds of RETRY_AFTER) {
    try {
      return await send();
    } catch {
      await sleep(seconds * 1000);
    }
  }
  return send();
}

/**
 * Sends a payment. The message id contains the order id, so a retry is not counted twice, and the goal, because a visitor's
 * second event with the same message id is not counted, even for another goal. The response is 200 even if the event is
 * rejected, for example because its goal does not exist.
 */
async function reportPayment(visitor, orderId, amount) {
  const message = {
    type: 'track',
    event: 'paid',
    anonymousId: visitor,
    messageId: `${orderId}-paid`,
    properties: { value: amount },
  };
  const path = `/api/projects/${project}/events?strict=1`;
  const receipt = await retry(() => post(path, { Authorization: `Bearer ${token}` }, { batch: [message] }));
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

/** The variations that were assigned to this visitor, and the phases in which they were assigned. */
function assignedTo(request, visitor) {
  try {
    const { bucketing, phases } = JSON.parse(cookieOf(request, BUCKETING_COOKIE))[visitor];
    return { bucketing, phases };
  } catch {
    return {};
  }
}

/**
 * The cookies are not HttpOnly, because the snippet reads the id. Add Secure if the shop uses https. If the site has
 * subdomains, the cookies need its domain, as the snippet's cookies have, so that all subdomains use the same id.
 */
const cookie = (name, value) =>
  `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=31536000; SameSite=Lax${domain ? `; Domain=${domain}` : ''}`;

const cookiesFor = ({ id, bucketing, phases }) => [
  cookie(ID_COOKIE, id),
  cookie(BUCKETING_COOKIE, JSON.stringify({ [id]: { bucketing, phases } })),
];

/**
 * If you need consent before you recognize visitors, check it here. Without consent, the shop requests no decision and
 * sets no cookies, and the snippet waits until a page pushes `enableTrackingConsent`.
 */
const hasConsent = (request) => request.headers['sec-gpc'] !== '1';

const page = (request, content) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Shop</title>
    <script src="${gosset}/s/${clientKey}.js"${hasConsent(request) ? '' : ' data-consent="required"'}></script>
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
  response.setHeader('Cache-Control', 'private, no-store'); // Visitors get different pages.
  if (request.method === 'POST' && request.url === '/pay') {
    if (known !== undefined) {
      reportPayment(known, randomUUID(), 49.9).catch(console.error); // The buyer does not wait for Gosset.
    }
    response.end(page(request, 'Thank you'));
  } else if (request.url === '/' && hasConsent(request)) {
    const { user, variation } = await decide(request, known);
    if (user !== null) {
      response.setHeader('Set-Cookie', cookiesFor(user));
    }
    response.end(page(request, variation === 'free' ? 'Free shipping' : 'Shipping 4.90'));
  } else if (request.url === '/') {
    response.end(page(request, 'Shipping 4.90'));
  } else {
    response.statusCode = 404;
    response.end(page(request, 'Not found'));
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
