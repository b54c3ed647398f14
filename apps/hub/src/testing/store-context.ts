/** A store for each test of the suite, and the words in which the tests speak of it. */
import { afterEach, beforeEach } from 'vitest'
import { newSessionRow } from '../core/ingest/session-row'
import type { AppendStore } from '../core/ports/append-store'
import type { HubRow } from '../core/ports/hub-store'
import type { ImageStore } from '../core/ports/image-store'
import type { WebhookStore } from '../core/ports/outbound/webhook-store'
import type { Eraser, NewSession, SessionRow } from '../core/ports/session-store'
import type { SetupStore } from '../core/ports/setup-store'
import type { Reads, Transactions, WriteTx } from '../core/ports/stores'
import type { Operation } from '../core/ports/stream/stream-change'
import type { LoadKeys, StreamWriter } from '../core/ports/stream/stream-writer'
import { deciding, type WorkingSet } from '../core/stream/working-set'
import { appended, changing, inserted } from './stream-steps'

export interface OpenStore {
  hub: HubRow
  reads: Reads
  appends: AppendStore
  transactions: Transactions
  setup: SetupStore
  ingest: StreamWriter
  eraser: Eraser
  images: ImageStore
  webhooks: WebhookStore
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

  decide<T>(keys: LoadKeys, work: (set: WorkingSet) => T): Promise<unknown> {
    return this.store.ingest.change(keys, deciding(work))
  }

  change(...operations: Operation[]): Promise<null> {
    return this.store.ingest.change({}, changing(...operations))
  }

  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.store.transactions.write(work)
  }

  async addSession(sessionId: string, change: Partial<NewSession> = {}): Promise<SessionRow> {
    await this.change(inserted({ ...sessionRow(sessionId), ...change }))
    const row = await this.reads.sessions.find(sessionId)
    if (!row) throw new Error(`${sessionId} was not stored`)
    return row
  }

  async addEvents(sessionId: string, from: number, count: number, words = 'x'): Promise<void> {
    await this.store.ingest.change({}, changing(appended(sessionId, from, count, words)), count)
  }
}

export const sessionRow = (sessionId: string): NewSession => newSessionRow({ sessionId, agentId: 'box', now: 1 })
