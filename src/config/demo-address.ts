import { httpUrl } from './formats';

const MAX_PORT = 65_535;

interface Given {
  /** The port that the server itself listens on. */
  port: number;
  publicUrl: string;
  demoPort: number | undefined;
  demoUrl: string | undefined;
}

export interface DemoAddress {
  /** Port of the demo shop; 0 = any free port. */
  port: number;
  /** Origin of the shop; null when only its listener knows the port. */
  url: string | null;
  /** The invalid variables, with reasons. */
  problems: string[];
}

/**
 * The address of the demo shop. It runs the code of experiments, so it never has the origin of the console: by default
 * it is on the next port of the same host.
 */
export function demoAddress({ port, publicUrl, demoPort, demoUrl }: Given): DemoAddress {
  const own = httpUrl(publicUrl);
  const shopPort = demoPort ?? nextPort(port, own);
  if (shopPort === port && port !== 0) {
    return { port: 0, url: null, problems: ['DEMO_PORT must be another port than PORT.'] };
  }
  if (own === null || (demoUrl === undefined && shopPort === 0)) {
    return { port: shopPort, url: null, problems: [] };
  }
  const { origin } = new URL(demoUrl ?? `${own.protocol}//${own.hostname}:${shopPort}`);
  return origin === own.origin
    ? { port: shopPort, url: null, problems: [sharedOrigin(origin)] }
    : { port: shopPort, url: origin, problems: [] };
}

const sharedOrigin = (origin: string): string =>
  `The demo shop needs another origin than PUBLIC_URL, not ${origin}. Set DEMO_URL or DEMO_PORT to another one.`;

/** The next port after the server's own, except the port of the public URL; 0 if there is none. */
function nextPort(port: number, own: URL | null): number {
  const next = String(port + 1) === own?.port ? port + 2 : port + 1;
  return port > 0 && next <= MAX_PORT ? next : 0;
}
