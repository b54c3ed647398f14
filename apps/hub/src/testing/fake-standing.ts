/** People who are in no database: what the store does not know of, a test says. */
import type { PeopleReads, Transactions } from '../core'
import type { Standing, StandingOf } from '../core/access/standing'

interface Stored {
  transactions: Transactions
  people: PeopleReads
}

export function withStandings({ transactions, people }: Stored, said: (of: StandingOf) => Standing | null): Stored {
  return {
    transactions: {
      write: (work) =>
        transactions.write((tx) =>
          work({ ...tx, findStanding: async (of) => (await tx.findStanding(of)) ?? said(of) }),
        ),
    },
    people: { ...people, standing: (of) => people.standing(of) ?? said(of) ?? undefined },
  }
}
