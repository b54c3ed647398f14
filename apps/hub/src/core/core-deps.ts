/** What the core needs: the ports that others fill, its clocks, and what the operator set. */
import type { Budget } from './bus/peers/budget'
import type { Log } from './common/log'
import type { DerivedTables } from './derived'
import type { Accounts } from './ports/accounts'
import type { AppendStore } from './ports/append-store'
import type { BusStore } from './ports/bus-store'
import type { FactorKeeper } from './ports/factor-keeper'
import type { HubRow } from './ports/hub-store'
import type { ImageStore } from './ports/image-store'
import type { Outgoing } from './ports/outbound/outgoing'
import type { Eraser } from './ports/session-store'
import type { StoragePort } from './ports/storage-port'
import type { Reads, Transactions } from './ports/stores'
import type { StreamWriter } from './ports/stream/stream-writer'

interface Clocks {
  now?: () => number
  /** Never goes back. */
  elapsed?: () => number
}

/** The operator's. */
interface Operated {
  log?: Log
  /** What all workers of the bus may cost together before it warns. */
  busBudget?: Budget
  /** What its messages may take, in bytes, and for how long they are kept. */
  busKeeps?: { bytes?: number | undefined; days?: number | undefined }
}

export interface CoreDeps extends Clocks, Operated, Outgoing {
  hub: HubRow
  ingest: StreamWriter
  transactions: Transactions
  reads: Reads
  appends: AppendStore
  derived: DerivedTables
  bus: BusStore
  accounts: Accounts
  keeper: FactorKeeper
  eraser: Eraser
  images: ImageStore
  storage: StoragePort
  /** Origins under which agents may know this hub. The first is shown to people. Known only after `listen`. */
  hubUrls: () => readonly string[]
  newHubEpoch: () => string
}
