import type { BackendAdapter, Command, CommandOf, SessionEvent } from '@roundhouse/backend-types'
import { promptQueue } from '@roundhouse/delivery'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from '../journal/journal'
import type { RunningBackend } from '../program/program-runner'
import { Steering } from '../program/steering'
import type { Turn } from '../turns/turn'
import type { TurnState } from '../turns/turn-state'
import { PromptCommands, type PromptPorts } from './prompt-commands'

const body: CommandOf<'prompt.send'> = { kind: 'prompt.send', promptId: 'p1', text: 'Mind the gap.', steer: true }
const command: Command = {
  commandId: 'c1',
  sessionId: 's',
  cmdSeq: 1,
  author: { userId: 'u', name: 'Ana' },
  createdAt: 1,
  body,
}
const turnOf = (turnId: string): Turn => ({ turnId, phase: 'running', interruptAsked: false })

let log: string[]
let turn: Turn | null
beforeEach(() => {
  log = []
  turn = turnOf('t1')
})

/** `says`: what the program prints while it has the text, all read in one piece. */
async function steer(says: (begins: () => void) => boolean): Promise<void> {
  const adapter = {
    steer: async (_process, _text, _images, begins = () => {}) => says(begins),
  } as Partial<BackendAdapter>
  const running = { adapter, process: {}, gone: new AbortController() } as unknown as RunningBackend
  const record = async (events: SessionEvent[]) => {
    for (const event of events) log.push(event.kind === 'user_message' ? `steer in ${event.turnId}` : event.kind)
  }
  const turns = {
    get current() {
      return turn
    },
    waiting: promptQueue.emptyQueue(),
    goOn: ({ entries }: promptQueue.PromptQueue) => {
      log.push(`queued ${entries.length}`)
      return { meta: {} }
    },
  }
  const ports: PromptPorts = {
    journal: { record, write: async () => 0, log: { rows: { hasPrompt: () => false } } } as unknown as Journal,
    turns: turns as unknown as TurnState,
    runner: { advance: () => {}, interrupt: async () => true },
    steering: new Steering(() => running, { read: async () => [], drop: () => {} }),
    images: { drop: () => {} },
    results: {
      news: async (_id: string, { state }: { state: string }) => void log.push(state),
    } as PromptPorts['results'],
  }
  await new PromptCommands(ports).steer(command, body).run?.()
}

describe('[CMD-5.27] a prompt for the running turn', () => {
  it('stands before what the program says in answer to it, and behind what it said before', async () => {
    await steer((begins) => {
      log.push('before')
      begins()
      log.push('answer')
      return true
    })
    expect(log).toEqual(['before', 'steer in t1', 'answer', 'done'])
  })

  it('[CMD-5.16] belongs to the turn that begins with it, also where that turn is over when the prompt is taken', async () => {
    await steer((begins) => {
      turn = turnOf('t2')
      begins()
      log.push('answer')
      turn = null
      return true
    })
    expect(log).toEqual(['steer in t2', 'answer', 'done'])
  })

  it('waits in the queue where the program does not take it', async () => {
    await steer(() => false)
    expect(log).toEqual(['queued 1'])
  })
})
