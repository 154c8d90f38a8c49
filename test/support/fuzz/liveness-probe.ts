import { Worker } from 'node:worker_threads';

/* Polls the server from a separate thread, so that busy tests do not affect the measured times. */
const PROBE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { setTimeout: sleep } = require('node:timers/promises');
  const times = [];
  let isStopped = false;
  parentPort.once('message', () => { isStopped = true; });
  (async () => {
    while (!isStopped) {
      const start = performance.now();
      const status = await fetch(workerData).then((answer) => answer.text().then(() => answer.status), () => 0);
      times.push({ status, milliseconds: performance.now() - start });
      await sleep(20);
    }
    parentPort.postMessage(times);
    parentPort.close();
  })();
`;

interface Probe {
  status: number;
  milliseconds: number;
}

export interface Liveness {
  probes: number;
  failed: number;
  /** The longest response time, in milliseconds. */
  longest: number;
  /** The 99th percentile of response times, in milliseconds. */
  p99: number;
}

/** Measures the response times of the liveness check. @returns a function that stops and returns the report */
export function watchLiveness(address: string): () => Promise<Liveness> {
  const worker = new Worker(PROBE, { eval: true, workerData: `${address}/health/live` });
  return () =>
    new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.once('message', (probes: Probe[]) => {
        const times = probes.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
        resolve({
          probes: times.length,
          failed: probes.filter(({ status }) => status !== 200).length,
          longest: times.at(-1) ?? 0,
          p99: times[Math.floor(times.length * 0.99)] ?? 0,
        });
      });
      worker.postMessage('stop');
    });
}
