/**
 * The only way for people to write (AUTH-1). The transaction reads the person's rights again, and the work begins only
 * while they still cover those by which the request was judged. Only this file creates a `PersonTx`, so no service can
 * forget the check.
 */
import type { Actor } from '../access/access'
import { requireStill } from '../access/standing'
import { requireTaking, type StoragePort } from '../ports/storage-port'
import type { Transactions, WriteTx } from '../ports/stores'

declare const judged: unique symbol

/** A transaction of a person who may still do what they asked for. */
export type PersonTx = WriteTx & { readonly [judged]: true }

export type WriteAs = <T>(actor: Actor, work: (tx: PersonTx) => Promise<T>) => Promise<T>

/** What the hub does by itself: it answers a program, or ends a tree of sessions. */
export type WriteAsHub = <T>(work: (tx: PersonTx) => Promise<T>) => Promise<T>

export interface WriteAsDeps {
  transactions: Transactions
  storage: Pick<StoragePort, 'health'>
  now: () => number
}

export function createWriteAs({ transactions, storage, now }: WriteAsDeps): WriteAs {
  return async (actor, work) => {
    requireTaking(storage.health())
    return transactions.write(async (tx) => {
      requireStill(actor, await tx.people.standing(actor.credential), now())
      return work(tx as PersonTx)
    })
  }
}

export const createWriteAsHub =
  ({ transactions, storage }: Omit<WriteAsDeps, 'now'>): WriteAsHub =>
  (work) => {
    requireTaking(storage.health())
    return transactions.write((tx) => work(tx as PersonTx))
  }
