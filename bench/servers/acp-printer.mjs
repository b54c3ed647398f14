#!/usr/bin/env node
// A program that speaks the Agent Client Protocol and has nothing to say: `print 500 20` prints 500 lines, one each 20 ms. Each says
// when it was printed. By turns a line is a piece of an answer, which people see as it is written, and a plan, which is an event.
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const say = (frame) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
const stamp = () => `@${performance.timeOrigin + performance.now()}`
const sessionId = '11111111-1111-4111-8111-111111111111'
const update = (fields) => say({ method: 'session/update', params: { sessionId, update: fields } })

const piece = (n) =>
  update({
    sessionUpdate: 'agent_message_chunk',
    messageId: `m${n}`,
    content: { type: 'text', text: `A few words, as a model writes them ${stamp()} ` },
  })
const plan = () =>
  update({
    sessionUpdate: 'plan',
    entries: [{ content: `A step, as a model plans it ${stamp()} `, priority: 'medium', status: 'pending' }],
  })

async function print(id, count, everyMs) {
  for (let printed = 0; printed < count; printed++) {
    if (printed % 2 === 0) piece(printed)
    else plan()
    await delay(everyMs)
  }
  say({ id, result: { stopReason: 'end_turn' } })
}

const answers = {
  initialize: {
    protocolVersion: 1,
    agentInfo: { name: 'printer', version: '1.0.0' },
    agentCapabilities: { loadSession: true, promptCapabilities: {} },
  },
  'session/new': { sessionId },
  'session/load': {},
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === 'session/prompt') {
      const [, count = '1', everyMs = '0'] = /print (\d+) (\d+)/.exec(params.prompt.at(-1).text) ?? []
      void print(id, Number(count), Number(everyMs))
    } else if (answers[method]) say({ id, result: answers[method] })
    else if (id !== undefined && method !== undefined) say({ id, error: { code: -32601, message: 'Not served.' } })
  })
  .on('close', () => process.exit(0))
