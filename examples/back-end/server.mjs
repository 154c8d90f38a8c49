// A shop's back end: it requests a visitor's variation from Gosset, and sends payments as trusted events.
//   GOSSET_PROJECT=1 GOSSET_EXPERIMENT=1001 GOSSET_CLIENT_KEY=pk_... GOSSET_TOKEN=gos_... node examples/back-end/server.mjs
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';

const {
  GOSSET_URL: gosset = 'http://localhost:3000',
  GOSSET_PROJECT: project,
  GOSSET_EXPERIMENT: experiment,
  GOSSET_CLIENT_KEY: clientKey,
  GOSSET_TOKEN: token,
  PORT: port = '8080',
} = process.env;

/** Sends JSON to Gosset; throws an error with the response on failure. */
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
 * Returns the visitor's variation and records the exposure. If Gosset is unavailable, every visitor sees the original.
 */
async function variationFor(visitor) {
  const selector = { experiments: [Number(experiment)] };
  try {
    const { experiments } = await post(
      '/v1/decide',
      { 'X-API-Key': clientKey },
      { user: { id: visitor }, selector },
    );
    return experiments[0]?.variation?.api_name ?? 'original';
  } catch (error) {
    console.error(error);
    return 'original';
  }
}

/** Sends a payment with its own id, so that a retry is not counted twice. */
const reportPayment = (visitor, orderId, amount) =>
  post(
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

const visitorOf = (request) => /(?:^|; )visitor=([\w-]{1,64})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1];

async function answer(request, response) {
  const visitor = visitorOf(request) ?? randomUUID();
  response.setHeader('Set-Cookie', `visitor=${visitor}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`);
  if (request.method === 'POST' && request.url === '/pay') {
    await reportPayment(visitor, randomUUID(), 49.9);
    response.end('Thank you\n');
    return;
  }
  const shipping = (await variationFor(visitor)) === 'free' ? 'Free shipping' : 'Shipping 4.90';
  response.end(`${shipping}\n`);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.statusCode = 502;
    response.end('Please try again.\n');
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
