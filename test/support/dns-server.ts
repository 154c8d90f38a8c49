import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import type { HostLookup } from '../../src/webhooks/host-lookup';

const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const;
const TYPES: Readonly<Record<number, 'ipv4' | 'ipv6'>> = { 1: 'ipv4', 28: 'ipv6' };

/** The addresses for a name, an error, or `null` if the server does not respond to questions about the name. */
type Entry = readonly string[] | 'SERVFAIL' | null;

/** A DNS server for tests. Names that it does not know do not exist. */
export class DnsServer {
  /** The names in questions about IPv4 addresses, in order. */
  readonly asked: string[] = [];
  names: Readonly<Record<string, Entry>> = {};
  private unanswered: [Buffer, RemoteInfo][] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'gosset-dns-'));

  private constructor(private readonly socket: Socket) {
    socket.on('message', (message, sender) => this.take(message, sender));
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket);
  }

  /** Makes a lookup use this server. @param texts the hosts file and resolv.conf */
  serve(lookup: HostLookup, texts: { hosts?: string; resolver?: string } = {}, timeout = 60_000): void {
    const { hosts = '', resolver = '' } = texts;
    const files = { hosts: join(this.folder, 'hosts'), resolver: join(this.folder, 'resolv.conf') };
    writeFileSync(files.hosts, hosts);
    writeFileSync(files.resolver, resolver);
    const newResolver = (): dns.Resolver => {
      const made = new dns.Resolver({ timeout, tries: 1 });
      made.setServers([`127.0.0.1:${this.socket.address().port}`]);
      return made;
    };
    Object.assign(lookup, { files, newResolver });
  }

  /** Answers the questions that have not been answered so far: the names do not exist. */
  release(): void {
    this.unanswered.forEach(([message, { address, port }]) =>
      this.socket.send(answerTo(message, 'NXDOMAIN'), port, address),
    );
    this.unanswered = [];
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true });
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  private take(message: Buffer, sender: RemoteInfo): void {
    const { name, type } = questionOf(message);
    if (TYPES[type] === 'ipv4') {
      this.asked.push(name);
    }
    const entry = name in this.names ? this.names[name] : 'NXDOMAIN';
    if (entry === null) {
      this.unanswered.push([message, sender]);
    } else {
      this.socket.send(answerTo(message, entry), sender.port, sender.address);
    }
  }
}

const HEADER_BYTES = 12;

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at]; length !== 0; length = message[at]) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(message: Buffer, entry: readonly string[] | 'SERVFAIL' | 'NXDOMAIN'): Buffer {
  const { type, end } = questionOf(message);
  const isKnown = typeof entry !== 'string';
  const addresses = (isKnown ? entry : [])
    .map((address) => ipaddr.parse(address))
    .filter((address) => address.kind() === TYPES[type]);
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  // A response, with recursion desired and available (RFC 1035, section 4.1.1).
  header.writeUInt16BE(0x8180 + CODES[isKnown ? 'NOERROR' : entry], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = address.toByteArray();
    return Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records]);
}
