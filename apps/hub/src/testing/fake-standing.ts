/** People who are in no database: what the store does not know of, a test says. */
import type { Reads, Transactions } from '../core'
import type { Standing, StandingOf } from '../core/access/standing'
import type { BusStore } from '../core/ports/bus-store'
import { type Loaded, type StreamWriter, standingKey } from '../core/ports/stream/stream-writer'

interface Stored {
  bus: BusStore
  ingest: StreamWriter
  transactions: Transactions
  reads: Reads
}

export function withStandings(
  { ingest, transactions, reads, bus }: Stored,
  said: (of: StandingOf) => Standing | null,
): Stored {
  const { people } = reads
  return {
    bus: {
      ...bus,
      append: (write, guard) => {
        if (!guard) return bus.append(write)
        const { credential, require } = guard
        return bus.append(write, { credential, require: (standing) => require(standing ?? said(credential)) })
      },
    },
    ingest: {
      change: (keys, decide, weight) => {
        const known = (loaded: Loaded) =>
          new Map(
            (keys.standings ?? []).map((of) => {
              const row = loaded.standings.get(standingKey(of))?.row ?? said(of) ?? undefined
              return [standingKey(of), { row }] as const
            }),
          )
        return ingest.change(keys, (loaded) => decide({ ...loaded, standings: known(loaded) }), weight)
      },
    },
    transactions: {
      write: (work) =>
        transactions.write((tx) => {
          const standing = async (of: StandingOf) => (await tx.people.standing(of)) ?? said(of)
          return work({ ...tx, people: { ...tx.people, standing } })
        }),
    },
    reads: {
      ...reads,
      people: { ...people, standing: async (of) => (await people.standing(of)) ?? said(of) ?? undefined },
    },
  }
}
