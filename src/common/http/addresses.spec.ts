import { isPrivateHost } from './addresses';

const hostOf = (url: string): string => new URL(url).hostname;

it.each([
  ['http://localhost:3000'],
  ['http://shop.localhost'],
  ['http://127.8.9.1'],
  ['http://[::1]:3000'],
  ['http://10.1.2.3'],
  ['http://172.31.83.1'],
  ['http://192.168.1.20:8080'],
  ['http://[fd00::1]'],
  ['http://[fe80::1]'],
  ['http://server'],
  ['http://nas.local'],
  ['https://gosset.internal'],
  ['https://gosset.internal./'],
])('%s is private', (url) => expect(isPrivateHost(hostOf(url))).toBe(true));

it.each([
  ['https://ab.example.com'],
  ['https://localhost.example.com'],
  ['https://local.dev'],
  ['http://172.32.0.1'],
  ['http://193.168.1.1'],
  ['http://[2001:db8::1]'],
])('%s is public', (url) => expect(isPrivateHost(hostOf(url))).toBe(false));
