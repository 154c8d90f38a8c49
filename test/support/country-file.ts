/*
 * Writes a database in MaxMind's format (MaxMind DB 2.0): a binary search tree of IPv6 addresses with 24-bit records,
 * the countries, and the metadata. IPv4 addresses are in ::/96.
 */

const MARKER = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');
const SEPARATOR = Buffer.alloc(16);

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x40 | value.length]), Buffer.from(value)]);

function number(value: number, type: 'uint16' | 'uint32' | 'uint64'): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const used = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const head = { uint16: [0xa0 | used.length], uint32: [0xc0 | used.length], uint64: [used.length, 2] }[type];
  return Buffer.concat([Buffer.from(head), used]);
}

const map = (entries: [string, Buffer][]): Buffer =>
  Buffer.concat([
    Buffer.from([0xe0 | entries.length]),
    ...entries.flatMap(([name, value]) => [text(name), value]),
  ]);

function bitsOf(network: string): number[] {
  const [address = '', prefix] = network.split('/');
  const isV4 = !address.includes(':');
  const bytes = isV4
    ? [...Buffer.alloc(12), ...address.split('.').map(Number)]
    : [
        ...Buffer.from(
          new URL(`http://[${address}]`).hostname
            .slice(1, -1)
            .replace(/:+$/, '')
            .split(':')
            .map((part) => part.padStart(4, '0'))
            .join('')
            .padEnd(32, '0'),
          'hex',
        ),
      ];
  const bits = bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((place) => (byte >> place) & 1));
  return bits.slice(0, Number(prefix) + (isV4 ? 96 : 0));
}

/** @param countries country codes by network, such as `{ '192.0.2.0/24': 'CH' }` */
export function countryFile(countries: Record<string, string>): Buffer {
  type Node = [Node | number | null, Node | number | null];
  const root: Node = [null, null];
  const data: Buffer[] = [];
  let size = 0;
  for (const [network, code] of Object.entries(countries)) {
    const bits = bitsOf(network);
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const next: Node = Array.isArray(node[bit]) ? node[bit] : [null, null];
      node[bit] = next;
      node = next;
    }
    node[bits.at(-1) ?? 0] = size;
    const entry = map([['country', map([['iso_code', text(code)]])]]);
    data.push(entry);
    size += entry.length;
  }
  const nodes: Node[] = [root];
  for (const node of nodes) {
    nodes.push(...node.filter((child): child is Node => Array.isArray(child)));
  }
  const index = new Map(nodes.map((node, at) => [node, at]));
  const record = (child: Node[number]): number => {
    if (Array.isArray(child)) {
      return index.get(child) ?? 0;
    }
    return child === null ? nodes.length : nodes.length + SEPARATOR.length + child;
  };
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((node, at) => {
    node.forEach((child, side) => tree.writeUIntBE(record(child), at * 6 + side * 3, 3));
  });
  const metadata = map([
    ['binary_format_major_version', number(2, 'uint16')],
    ['binary_format_minor_version', number(1, 'uint16')],
    ['build_epoch', number(1_700_000_000, 'uint64')],
    ['database_type', text('Test-Country')],
    ['ip_version', number(6, 'uint16')],
    ['node_count', number(nodes.length, 'uint32')],
    ['record_size', number(24, 'uint16')],
  ]);
  return Buffer.concat([tree, SEPARATOR, ...data, MARKER, metadata]);
}
