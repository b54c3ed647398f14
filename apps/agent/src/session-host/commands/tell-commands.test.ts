import type { Command } from '@roundhouse/backend-types'
import type { promptQueue } from '@roundhouse/delivery'
import { expect, it } from 'vitest'
import { WaitingCalls } from '../tools/waiting-calls'
import { TellCommands, type TellPorts } from './tell-commands'

const command = (commandId: string, body: Command['body']): Command => ({
  commandId,
  sessionId: 's1',
  author: { userId: 'u1', name: 'Ana' },
  createdAt: 1,
  body,
})
const tell = command('c1', { kind: 'program.tell', name: 'reject', correlationId: 'r1', data: { reason: 'no' } })
const prompt = command('c2', { kind: 'prompt.send', promptId: 'p1', text: 'Go on.' })
const entry = ({ commandId }: Command) => ({ promptId: commandId, rev: 0, text: 'x', commandId, authorName: 'Ana' })

it('[TOOL-4.2] a reader takes the commands that still wait as prompts, once, and leaves the prompts of people', async () => {
  const rows = new Map([tell, prompt].map((one) => [one.commandId, { kind: one.body.kind, body: JSON.stringify(one) }]))
  const news: string[] = []
  const written: object[] = []
  let waiting: promptQueue.PromptQueue = { entries: [entry(tell), entry(prompt)], held: false }
  const turns = {
    get waiting() {
      return waiting
    },
    replaceQueue(queue: promptQueue.PromptQueue) {
      waiting = queue
      return { meta: {} }
    },
  }
  const ports = {
    journal: {
      log: { rows: { inboxRow: (id: string) => rows.get(id) } },
      write: async (change: object) => written.push(change),
    },
    turns,
    waiting: new WaitingCalls(),
    results: { news: async (id: string) => news.push(id) },
  }
  const telling = new TellCommands(ports as unknown as TellPorts)
  expect(await telling.takeQueued()).toEqual([
    { commandId: 'c1', name: 'reject', correlationId: 'r1', data: { reason: 'no' } },
  ])
  expect(waiting.entries.map(({ commandId }) => commandId)).toEqual(['c2'])
  expect(written).toEqual([{ meta: {}, moved: [{ commandId: 'c1', state: 'done' }] }])
  expect([news, await telling.takeQueued()]).toEqual([['c1'], []])
})
