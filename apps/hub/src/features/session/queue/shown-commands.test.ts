import type { CommandView, SessionView } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { shownCommands } from './shown-commands'

const prompt = (state: CommandView['state']): CommandView => ({
  commandId: 'cmd_1',
  kind: 'prompt.send',
  state,
  createdAt: 0,
  authorName: 'Ana',
  promptId: 'p_1',
  text: 'Mind the tests.',
})
const entry: SessionView['queue'][number] = { promptId: 'p_1', rev: 1, text: 'Mind the tests.', commandId: 'cmd_1' }
const shown = (command: CommandView, view: Partial<Pick<SessionView, 'queue' | 'turnId'>>) =>
  shownCommands({ commands: [command], queue: [], agentName: 'vm', ...view }).map(({ words }) => words.state)

it('[CMD-5.16] shows a prompt for the running turn until the program reads it', () => {
  expect(shown(prompt('accepted'), { turnId: 't1' })).toEqual(['waiting for the program to read it'])
})

it('[CMD-5.1] shows an accepted prompt of the queue in the queue alone', () => {
  expect(shown(prompt('accepted'), { turnId: 't1', queue: [entry] })).toEqual([])
})

it('shows nothing of a prompt that was accepted between turns, or that is done', () => {
  expect([shown(prompt('accepted'), {}), shown(prompt('done'), { turnId: 't1' })]).toEqual([[], []])
})

it('[CMD-5.21] shows a prompt that was refused', () => {
  expect(shown(prompt('refused'), { turnId: 't1', queue: [entry] })).toEqual(['not done'])
})
