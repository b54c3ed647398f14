/**
 * The one door for what people write (AUTH-1): inside the transaction their rights are read again, and work begins only while
 * they still have what they were judged by. `PersonTx` is made here and nowhere else, so that no service can forget it.
 */
import type { Actor } from '../access/access'
import { requireStill } from '../access/standing'
import { requireTaking, type StoragePort } from '../ports/storage-port'
import type { Transactions, WriteTx } from '../ports/stores'

declare const judged: unique symbol

/** A transaction of somebody who may still do what they asked for. */
export type PersonTx = WriteTx & { readonly [judged]: true }

export type WriteAs = <T>(actor: Actor, work: (tx: PersonTx) => Promise<T>) => Promise<T>

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
