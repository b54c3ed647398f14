import { expect, it } from 'vitest'
import type { AskStep } from '../../ports/ask-store'
import { AskNews } from './ask-news'

it('[BUS-12.10] a worker that moves on is no news to inboxes, unless something of it may be open', () => {
  const news = new AskNews()
  const moved: AskStep = { step: 'moved', peerId: 'p', at: 1 }
  const ask = { requestId: 'r', kind: 'REQUEST' as const, message: 'm', options: [], at: 1 }
  const open: AskStep = { step: 'open', peerId: 'p', ask }
  const unheard: AskStep = { step: 'unheard', commandId: 'c' }
  const told = [[moved], [moved], [open], [moved], [moved], [unheard], [moved], [], [moved, open]]
  expect(told.map((steps) => news.changes(steps))).toEqual([true, false, true, true, false, true, true, false, true])
})
