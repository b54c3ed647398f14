/** The tables of what is made from all transcripts, a line each. Reads use this connection, writes the transaction that they are given (`transactionOf`). */
import type { DerivedTables } from '../../../core/derived'
import type { Connection } from '../file/connections'

export function createDerivedTables(_reader: Connection): DerivedTables {
  return {}
}
