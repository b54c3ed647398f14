/**
 * The tables of the core's room `derived`, a line each; it has none yet. Reads use this connection, writes the transaction that they are
 * given (`transactionOf`). The tables of the bus and of webhooks lie beside this file.
 */
import type { DerivedTables } from '../../../core/derived'
import type { Connection } from '../file/connections'

export function createDerivedTables(_reader: Connection): DerivedTables {
  return {}
}
