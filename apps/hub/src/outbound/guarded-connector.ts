/**
 * Opens connections only to addresses that were judged: of a name all that the system gives, at the moment of the connection, and it
 * connects to one of those. So a name cannot pass with one address and lead to another.
 */
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { addressIn, mayConnect } from './judge-url'
import type { Lookups } from './lookups'
import type { Networks } from './networks'

export class AddressRefused extends Error {}
export class NameUnknown extends Error {}

export interface ConnectorDeps {
  build: typeof buildConnector
  networks: Networks
  lookups: Lookups
  timeoutMs: number
}

export function guardedConnector({ build, networks, lookups, timeoutMs }: ConnectorDeps): buildConnector.connector {
  return (options, callback) => {
    const { hostname, protocol } = options
    const may = (address: string) => mayConnect(address, protocol, networks)
    const literal = addressIn(hostname)
    if (literal !== null && !may(literal)) return callback(new AddressRefused(), null)
    const connect = build({ timeout: timeoutMs, maxCachedSessions: 0, lookup: judging(lookups, may) })
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return callback(error, null)
      // Whatever the lookup said, this is where the connection leads.
      if (may(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new AddressRefused(), null)
    })
  }
}

/** One address that is refused refuses the name: nobody needs a name that is public and private at once. */
function judging(lookups: Lookups, may: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const give = (found: LookupAddress[]) => {
      const [first] = found
      if (!first) return callback(new NameUnknown(), '', 0)
      if (!found.every(({ address }) => may(address))) return callback(new AddressRefused(), '', 0)
      if (all) callback(null, found)
      else callback(null, first.address, first.family)
    }
    lookups.of(hostname).then(give, () => callback(new NameUnknown(), '', 0))
  }
}
