import type { CommandAnswer } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { InboxState } from '../../log/rows'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import { CommandResults } from './command-results'

async function carriedOut(state: InboxState | undefined) {
  const did: unknown[] = []
  const journal = {
    log: { rows: { inboxRow: () => state && { state } } },
    write: async ({ moved = [] }: LogChange) => void did.push(...moved.map((move) => move.state)),
  } as unknown as Journal
  const results = new CommandResults(journal, (_commandId: string, answer: CommandAnswer) => void did.push(answer))
  await results.carryOut('c1', async () => void did.push('acts'))
  return did
}

describe('a command is carried out', () => {
  it('[CMD-3] once it is marked as begun on disk, and its result is told', async () => {
    expect(await carriedOut('accepted')).toEqual(['started', 'acts', 'done', { state: 'done' }])
  })

  it.each(['started', 'done', 'refused', 'cancelled', 'outcome_unknown', undefined] as const)(
    '[CMD-3] never where its row says %s',
    async (state) => {
      expect(await carriedOut(state)).toEqual([])
    },
  )
})
