import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fire, SECONDS } from './load.mjs';
import { median } from './machine.mjs';

/*
 * Rounds alternate between the server and its bare counterpart, so other load on the machine affects both. The benchmarks
 * compare the medians of the rounds.
 */

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

/** Alternates between measurements. @returns their medians by name, without the first round, which is a warm-up */
export async function inTurns(ways) {
  const speeds = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, measure] of Object.entries(ways)) {
      const speed = await measure();
      if (round > 0) {
        speeds[name].push(speed);
      }
    }
  }
  return Object.fromEntries(Object.entries(speeds).map(([name, values]) => [name, median(values)]));
}

export const rounds = (server, bare, token, requests) =>
  inTurns({ server: () => fire(server, token, requests), bare: () => fire(bare, token, requests) });

/** Like `rounds`, but `touch` writes concurrently, with `pause` milliseconds between calls. */
export function writtenRounds(server, bare, token, requests, touch, pause) {
  const measure = (address) => async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        await touch();
        await sleep(pause);
      }
    })();
    const speed = await fire(address, token, requests);
    isOver = true;
    await writing;
    return speed;
  };
  return inTurns({ server: measure(server), bare: measure(bare) });
}

const agent = new Agent({ keepAlive: true });

/** Milliseconds until the whole response has arrived. */
async function timed(url, token) {
  const began = performance.now();
  const request = send(url, { agent, headers: { authorization: `Bearer ${token}` } }).end();
  const [response] = await once(request, 'response');
  response.resume();
  await once(response, 'end');
  return performance.now() - began;
}

/**
 * Sends sequential requests to both servers in turn, each after a change. Only the requests are timed. The first third of
 * the time is a warm-up, because code that has run only a few times is not optimized yet.
 */
export async function changedRounds(server, bare, token, path, touch) {
  const times = { server: [], bare: [] };
  const began = performance.now();
  const warm = began + SECONDS * 1000;
  const end = warm + 2 * SECONDS * 1000;
  while (performance.now() < end) {
    const isWarm = performance.now() > warm;
    for (const [name, address] of Object.entries({ server, bare })) {
      await touch();
      const time = await timed(`${address}${path}`, token);
      if (isWarm) {
        times[name].push(time);
      }
    }
  }
  return { server: 1000 / median(times.server), bare: 1000 / median(times.bare) };
}
