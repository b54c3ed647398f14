import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network that counts as one client for rate limits: an IPv4 address, a whole IPv6 /64 (the subscriber chooses the
 * other half), or any other text as it is.
 */
export function clientNetwork(address: string): string {
  return isIPv6(address) ? networkOf(address, 4) : address
}

/**
 * The wider network that counts as one if there are too many clients: an IPv4 /24, an IPv6 /48 (what one subscriber may
 * have), or any other text as it is.
 */
export function widerNetwork(address: string): string {
  if (isIPv4(address)) return address.replace(/(?<!\d)\d+$/, '0/24')
  return isIPv6(address) ? networkOf(address, 3) : address
}

/** The first `count` of the 8 parts of an IPv6 address. */
function networkOf(address: string, count: number): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? []
  const parts = head === '' ? [] : head.split(':')
  const known = parts.length + (tail ? tail.split(':').length : 0)
  if (tail !== undefined)
    parts.push(...Array(Math.max(0, 8 - known)).fill('0'), ...(tail === '' ? [] : tail.split(':')))
  const network = parts.slice(0, count).map((part) => Number.parseInt(part, 16).toString(16))
  return `${network.join(':')}::/${count * 16}`
}
