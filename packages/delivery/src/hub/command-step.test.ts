import type { CommandState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type CommandInput, commandStep, commandsToSend, newsCounts } from './command-step'

type Column =
  | 'sent'
  | 'expire'
  | 'cancel'
  | 'rebased'
  | 'restored'
  | '+accepted'
  | '+refused'
  | '+cancelled'
  | '+done'
  | '+unknown'
const inputs: Record<Column, CommandInput> = {
  sent: 'sent',
  expire: 'expire',
  cancel: 'cancel',
  rebased: 'rebased',
  restored: 'restored',
  '+accepted': { answer: 'accepted' },
  '+refused': { answer: 'refused' },
  '+cancelled': { answer: 'cancelled' },
  '+done': { answer: 'done' },
  '+unknown': { answer: 'outcome_unknown' },
}

/** Every state and what moves it; an input that is not named keeps the state. */
const moves: Record<CommandState, Partial<Record<Column, CommandState>>> = {
  pending: {
    sent: 'sent',
    expire: 'expired',
    cancel: 'cancelled',
    restored: 'sent',
    '+accepted': 'accepted',
    '+refused': 'refused',
    '+cancelled': 'cancelled',
    '+done': 'done',
    '+unknown': 'outcome_unknown',
  },
  sent: {
    rebased: 'outcome_unknown',
    '+accepted': 'accepted',
    '+refused': 'refused',
    '+cancelled': 'cancelled',
    '+done': 'done',
    '+unknown': 'outcome_unknown',
  },
  accepted: {
    rebased: 'outcome_unknown',
    restored: 'sent',
    '+refused': 'refused',
    '+cancelled': 'cancelled',
    '+done': 'done',
    '+unknown': 'outcome_unknown',
  },
  done: {},
  refused: {},
  expired: { '+done': 'done' },
  cancelled: { '+done': 'done' },
  outcome_unknown: { '+done': 'done', '+refused': 'refused' },
}

const cells = (Object.keys(moves) as CommandState[]).flatMap((state) =>
  (Object.keys(inputs) as Column[]).map((input) => ({ state, input, next: moves[state][input] ?? state })),
)

describe('commandStep', () => {
  it.each(cells)('[CMD-2..4] $state, $input: $next', ({ state, input, next }) => {
    expect(commandStep(state, inputs[input])).toBe(next)
  })
})

describe('commandsToSend', () => {
  const row = (commandId: string, state: CommandState, cmdSeq?: number, kind = 'prompt.send') => ({
    commandId,
    state,
    cmdSeq,
    kind,
  })
  const end = (state: CommandState) => row('end', state, undefined, 'process.end')
  const ids = (rows: Array<{ commandId: string }>) => rows.map(({ commandId }) => commandId)

  it('[CMD-2.3] of the ordered commands only the first open one is sent', () => {
    expect(ids(commandsToSend([row('c', 'pending', 3), row('b', 'sent', 2), row('a', 'done', 1)]))).toEqual(['b'])
  })

  it('[CMD-2.2] decisions, interrupts and stops do not wait in that line', () => {
    expect(ids(commandsToSend([row('a', 'sent', 1), row('b', 'pending', 2), row('stop', 'pending')]))).toEqual([
      'stop',
      'a',
    ])
  })

  it('[CMD-2.18] a stop waits for an answer to the creation of its session; a deletion does not', () => {
    const create = (state: CommandState) => row('create', state, 1, 'session.create')
    const deletion = row('delete', 'pending', undefined, 'session.delete')
    expect(ids(commandsToSend([create('sent'), end('pending'), deletion]))).toEqual(['delete', 'create'])
    expect(ids(commandsToSend([create('accepted'), end('pending')]))).toEqual(['end'])
    expect(ids(commandsToSend([create('cancelled'), end('pending')]))).toEqual(['end'])
  })

  it('[CMD-4] a command that expired unsent leaves a hole that stops nobody', () => {
    expect(ids(commandsToSend([row('a', 'expired', 1), row('b', 'pending', 2)]))).toEqual(['b'])
  })

  it('[CMD-5.14] a prompt that was made behind an end of the program waits until the machine has that end', () => {
    expect(ids(commandsToSend([end('sent'), row('b', 'pending', 2)]))).toEqual(['end'])
    expect(ids(commandsToSend([end('accepted'), row('b', 'pending', 2)]))).toEqual(['b'])
    expect(ids(commandsToSend([end('expired'), row('b', 'pending', 2)]))).toEqual(['b'])
  })

  it('[CMD-5.14] one that was made before the end waits for nothing', () => {
    expect(ids(commandsToSend([row('a', 'sent', 1), end('pending'), row('b', 'pending', 2)]))).toEqual(['end', 'a'])
  })

  it('[CMD-2.4] what was accepted is not sent again', () => {
    expect(commandsToSend([row('a', 'accepted', 1), row('b', 'outcome_unknown')])).toEqual([])
  })
})

describe('what an agent says of a command beside its log', () => {
  it('[CMD-2.17] [REB-1] is no `done` of what events tell: those may be lost before the hub has them', () => {
    for (const kind of ['prompt.send', 'session.create', 'session.configure', 'session.stop', 'grant.revoke'] as const)
      expect(newsCounts(kind, 'done')).toBe(false)
  })

  it('[CMD-2.17] counts where no event would tell it, and for every other result', () => {
    expect(newsCounts('queue.edit', 'done')).toBe(true)
    expect(newsCounts('permission.decide', 'done')).toBe(true)
    for (const state of ['accepted', 'refused', 'cancelled', 'outcome_unknown'] as const)
      expect(newsCounts('prompt.send', state)).toBe(true)
  })
})
