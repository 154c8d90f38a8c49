import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventStream, payloadEvent, retryField } from './payload-streams';

const encoded = (text: string) => {
  const plain = Buffer.from(text);
  return { plain, gzip: plain, brotli: plain, sha256: 'a'.repeat(64) };
};

it('writes a payload as an event with a single line of data', () => {
  expect(payloadEvent(encoded('{"a":1}')).toString()).toBe(
    `id: ${'a'.repeat(32)}\nevent: features\ndata: {"a":1}\n\n`,
  );
  expect(retryField(2_500).toString()).toBe('retry: 2500\n\n');
});

it('encodes an event once for all clients', () => {
  const payload = encoded('{}');
  expect(payloadEvent(payload)).toBe(payloadEvent(payload));
});

describe('over HTTP', () => {
  const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

  /** A client of a stream that reads its response only on request. */
  async function connected(stream: EventStream): Promise<IncomingMessage> {
    const server = createServer((_request, response) => {
      response.flushHeaders();
      stream.pipe(response);
      stream.once('close', () => response.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    response.once('close', () => server.close());
    return response.pause();
  }

  /** Lets pending I/O complete. */
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

  it('disconnects a client that does not read, before its data fills the memory', async () => {
    const stream = new EventStream();
    const response = await connected(stream);
    let written = 0;
    while (!stream.destroyed && written < 1_000) {
      stream.write(MEGABYTE);
      written += 1;
      await turn();
    }
    expect(stream.destroyed).toBe(true);
    expect(written).toBeLessThan(1_000);
    response.destroy();
  });

  it('ends the response immediately if the client does not read', async () => {
    const stream = new EventStream();
    const response = await connected(stream);
    while (stream.readableLength === 0) {
      stream.write(MEGABYTE);
      await turn();
    }
    stream.end();
    expect(stream.destroyed).toBe(true);
    response.destroy();
  });

  it('sends all written data before it ends, if the client reads', async () => {
    const stream = new EventStream();
    const response = await connected(stream);
    stream.write(Buffer.from('first '), Buffer.from('last'));
    await turn();
    stream.end();
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
    }
    expect(text).toBe('first last');
  });
});
