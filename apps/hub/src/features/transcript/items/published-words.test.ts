import type { SessionEventOf } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { publishedWords } from './published-words'

const told = (schema: string, data: Record<string, unknown>) =>
  publishedWords({ kind: 'published', id: 'm', topic: 'worker.s_1.x', schema, data } as SessionEventOf<'published'>)

it('shows what a program said on the bus: its phase, its question, its end', () => {
  expect(told('worker-phase-v1', { phase: 'DEPLOY', prev: 'SPAWN' })).toEqual({ tone: 'quiet', text: 'Phase DEPLOY' })
  expect(told('worker-event-v1', { kind: 'REQUEST', message: 'Rewrite or patch?' })).toEqual({
    tone: 'needs',
    text: 'REQUEST: Rewrite or patch?',
  })
  expect(told('worker-event-v1', { kind: 'LOG', message: 'read 3 files' }).tone).toBe('quiet')
  expect(told('worker-complete-v1', { summary: 'done' })).toEqual({ tone: 'done', text: 'Completed: done' })
})

it('names the topic of what has no words, and takes a value of another type for none', () => {
  expect(told('task-note-v1', {}).text).toBe('Published on worker.s_1.x')
  expect(told('worker-phase-v1', { phase: { html: '<b>' } }).text).toBe('Phase ')
})
