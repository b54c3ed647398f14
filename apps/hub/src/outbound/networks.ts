/**
 * Which addresses the hub connects to: public ones, and the networks that its operator named. Everything that leads into the hub's
 * own machine or network, or hides another address in itself, is refused (HOOK-6).
 */
import { isIP } from 'node:net'
import { CodedError } from '@roundhouse/backend-types'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = [Address, number]

/** The part of IPv6 from which public addresses are given. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

export class Networks {
  readonly #allowed: readonly Network[]

  /** Addresses, or networks as `10.0.0.0/8`. Throws `INVALID_ARGUMENT`. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed.map(readNetwork)
  }

  get isEmpty(): boolean {
    return this.#allowed.length === 0
  }

  /** Whether the operator named it. */
  names(address: string): boolean {
    if (isIP(address) === 0) return false
    const parsed = ipaddr.parse(address)
    return this.#allowed.some((network) => isIn(parsed, network))
  }

  /** Also false for what is no address. */
  reaches(address: string): boolean {
    return isPublic(address) || this.names(address)
  }
}

export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || isIn(parsed, GLOBAL_UNICAST)
}

const isIn = (address: Address, [network, bits]: Network) =>
  address.kind() === network.kind() && address.match([network, bits] as never)

function readNetwork(text: string): Network {
  const [address = '', bits] = text.split('/')
  try {
    if (isIP(address) === 0) throw new Error('no address')
    if (bits !== undefined) return ipaddr.parseCIDR(text)
    const parsed = ipaddr.parse(address)
    return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
  } catch (cause) {
    const message = `ROUNDHOUSE_OUTBOUND_NETWORKS: ${JSON.stringify(text)} is neither an address nor a network.`
    throw new CodedError('INVALID_ARGUMENT', message, undefined, cause)
  }
}
