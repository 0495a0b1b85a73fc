/**
 * The addresses where clouds keep their credentials, which no Session's pod may reach, also not when its model's server is
 * said to be there; and what of a model's server a NetworkPolicy can hold, which knows addresses and no names.
 */

/** Link-local addresses, and those of Alibaba, Azure, Oracle, AWS and Google outside of them. */
export const METADATA = {
  v4: ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  v6: ['fe80::/10', 'fd00:ec2::/32', 'fd20:ce::/32'],
};

export interface Server {
  port: number;
  /** The one address, where the URL holds no name. */
  cidr?: string;
}

/** The server at `url`, of which `ports` has the schemes' default ports; `undefined` where nothing may be opened for it. */
export function serverOf(url: string, ports: Record<string, number>): Server | undefined {
  // However an address is written (http://2852039166), here it comes in the usual way.
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {};
  const number = Number(port || ports[protocol.slice(0, -1)]);
  if (hostname === '' || Number.isNaN(number)) return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = addressOf(host);
  if (!address) return { port: number };
  return isMetadata(address) ? undefined : { port: number, cidr: `${host}/${address.bits}` };
}

interface Address {
  value: bigint;
  bits: 32 | 128;
}

/** Of a host as `URL` gives it, without brackets; `undefined` where it is a name. */
function addressOf(host: string): Address | undefined {
  if (/^[0-9]+(\.[0-9]+){3}$/.test(host)) return { bits: 32, value: joined(host.split('.').map(Number), 8) };
  if (!host.includes(':')) return undefined;
  const [head = [], tail = []] = host.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
  return { bits: 128, value: joined(groups, 16) };
}

const joined = (parts: number[], bits: number): bigint =>
  parts.reduce((all, part) => (all << BigInt(bits)) | BigInt(part), 0n);

/** An IPv4 address in the clothes of an IPv6 one counts as what it is. */
function isMetadata(address: Address): boolean {
  const { value, bits } = address;
  if (bits === 128 && value >> 32n === 0xffffn) return isMetadata({ value: value & 0xffff_ffffn, bits: 32 });
  return METADATA[bits === 32 ? 'v4' : 'v6'].some((range) => holds(range, value));
}

function holds(range: string, value: bigint): boolean {
  const [net = '', prefix] = range.split('/');
  const { value: first, bits } = addressOf(net) ?? { value: 0n, bits: 32 };
  const rest = BigInt(bits - Number(prefix));
  return first >> rest === value >> rest;
}
