import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Makes an application listen, for clients that can send requests only over the network. */
export async function listening(app: NestFastifyApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}
