import { setTimeout as sleep } from 'node:timers/promises';
import { fire } from './load.mjs';
import { median } from './machine.mjs';

/*
 * Rounds alternate between the server and its bare counterpart, so that other load on the machine affects both. The
 * medians of the rounds are compared.
 */

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PAIRS = 60;
const WARM_UP_PAIRS = 10;

/** The medians of two alternating measurements; the first round is a warm-up. */
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

/** The same with concurrent writes: `touch` is called again this number of milliseconds after it has finished. */
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

/** Sequential requests, each after a change; only the requests are timed. */
export async function changedRounds(server, bare, token, path, touch) {
  const times = { server: [], bare: [] };
  const headers = { authorization: `Bearer ${token}` };
  for (let pair = 0; pair < PAIRS + WARM_UP_PAIRS; pair += 1) {
    for (const [name, address] of Object.entries({ server, bare })) {
      await touch();
      const began = performance.now();
      await (await fetch(`${address}${path}`, { headers })).arrayBuffer();
      if (pair >= WARM_UP_PAIRS) {
        times[name].push(performance.now() - began);
      }
    }
  }
  return { server: 1000 / median(times.server), bare: 1000 / median(times.bare) };
}
