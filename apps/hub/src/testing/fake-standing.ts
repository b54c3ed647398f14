/** People who are in no database: what the store does not know of, a test says. */
import type { Reads, Transactions } from '../core'
import type { Standing, StandingOf } from '../core/access/standing'

interface Stored {
  transactions: Transactions
  reads: Reads
}

export function withStandings({ transactions, reads }: Stored, said: (of: StandingOf) => Standing | null): Stored {
  const { people } = reads
  return {
    transactions: {
      write: (work) =>
        transactions.write((tx) => {
          const standing = async (of: StandingOf) => (await tx.people.standing(of)) ?? said(of)
          return work({ ...tx, people: { ...tx.people, standing } })
        }),
    },
    reads: { ...reads, people: { ...people, standing: (of) => people.standing(of) ?? said(of) ?? undefined } },
  }
}
