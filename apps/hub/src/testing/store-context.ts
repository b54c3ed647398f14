/** A store for each test of the suite, and the words in which the tests speak of it. */
import { afterEach, beforeEach } from 'vitest'
import { newSessionRow } from '../core/ingest/session-row'
import type { AppendStore } from '../core/ports/append-store'
import type { HubRow } from '../core/ports/hub-store'
import type { ImageStore } from '../core/ports/image-store'
import type { Eraser, NewSession, SessionRow } from '../core/ports/session-store'
import type { IngestTx, IngestWriter, Reads, Transactions, WriteTx } from '../core/ports/stores'
import { envelope } from './fake-agent'
import { text } from './scenario'

export interface OpenStore {
  hub: HubRow
  reads: Reads
  appends: AppendStore
  transactions: Transactions
  ingest: IngestWriter
  eraser: Eraser
  images: ImageStore
}

/** A place for one store: opened, closed and opened again on what it kept. */
export interface StorePlace {
  open(): Promise<OpenStore>
  close(): Promise<void>
  remove(): Promise<void>
}

export class StoreContext {
  #place: StorePlace | undefined
  #store: OpenStore | undefined

  constructor(newPlace: () => Promise<StorePlace>) {
    beforeEach(async () => {
      this.#place = await newPlace()
      this.#store = await this.#place.open()
    })
    afterEach(() => this.#place?.remove())
  }

  get store(): OpenStore {
    if (!this.#store) throw new Error('no store is open')
    return this.#store
  }

  get reads(): Reads {
    return this.store.reads
  }

  async reopen(): Promise<void> {
    await this.#place?.close()
    this.#store = await this.#place?.open()
  }

  step<T>(work: (tx: IngestTx) => T): Promise<T> {
    return this.store.ingest.run(1, work)
  }

  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.store.transactions.write(work)
  }

  addSession(sessionId: string, change: Partial<NewSession> = {}): Promise<SessionRow> {
    return this.step((tx) => tx.sessions.insert({ ...sessionRow(sessionId), ...change }))
  }

  addEvents(pk: number, from: number, count: number, words = 'x'): Promise<void> {
    const seqs = Array.from({ length: count }, (_, i) => from + i)
    const events = seqs.map((seq) => ({ event: { ...envelope(text(words), seq), storedAt: 1 }, agentAt: 1 }))
    return this.store.ingest.run(count, (tx) => tx.events.append(pk, events))
  }
}

export function sessionRow(sessionId: string): NewSession {
  const { pk: _, ...row } = newSessionRow({ sessionId, agentId: 'box', now: 1 })
  return row
}
