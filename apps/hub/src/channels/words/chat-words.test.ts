import type { SessionSummary } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { sessionsMessage } from './chat-words'

const session = (title: string, status: string) => ({ sessionId: 'ses_1', title, status: { status } }) as SessionSummary
const label = (one: SessionSummary) => sessionsMessage([one]).buttons?.[0]?.[0]?.label ?? ''

it('[CHAN-4] the button of a session ends with its status, however long the title is', () => {
  expect(label(session('Fix it', 'idle'))).toBe('Fix it: idle')
  const long = label(session('Look at the port parser. '.repeat(9), 'waiting_for_agent'))
  expect(long).toMatch(/^Look at the port parser\..*…: waits for its machine$/)
  expect(long.length).toBeLessThanOrEqual(60)
})
