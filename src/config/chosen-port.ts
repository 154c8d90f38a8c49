import { createServer, type AddressInfo } from 'node:net';
import { Config, loadConfig } from './config';

/** A port on which nobody listens; null if the address cannot be listened on, which the server itself reports. */
function freePort(host: string): Promise<number | null> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(null));
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * With port 0, the configuration with a free port. It is chosen before the server listens, because `PUBLIC_URL` and the
 * address of the demo shop follow from it.
 */
export async function withChosenPort(config: Config, environment: NodeJS.ProcessEnv): Promise<Config> {
  if (config.port !== 0 || config.worker === 'only') {
    return config;
  }
  const port = await freePort(config.host);
  return port === null ? config : loadConfig({ ...environment, PORT: String(port) });
}
