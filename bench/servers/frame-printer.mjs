#!/usr/bin/env node
// A program that speaks Claude Code's language and has nothing to say: `print 500 20` prints 500 frames, one each 20 ms (0: at once),
// and each says when it was printed.
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)
const now = () => performance.timeOrigin + performance.now()
const text = 'a few words, as a model writes them '
const top = { parent_tool_use_id: null, session_id: '11111111-1111-4111-8111-111111111111' }

async function print(count, everyMs) {
  say({ type: 'system', subtype: 'init', model: 'm', permissionMode: 'default', tools: [], ...top })
  for (let printed = 0; printed < count; printed++) {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
    // A burst waits for its reader.
    const taken = say({ type: 'stream_event', event, at: now(), ...top })
    if (everyMs > 0) await delay(everyMs)
    else if (!taken) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
  say({ type: 'result', subtype: 'success', is_error: false, result: text, num_turns: 1, duration_ms: 1, ...top })
}

if (process.argv.includes('--version')) console.log('9.9.9 (frame printer)')
else {
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const frame = JSON.parse(line)
      if (frame.type === 'control_request') {
        const response = { subtype: 'success', request_id: frame.request_id, response: { commands: [], models: [] } }
        say({ type: 'control_response', response })
      }
      if (frame.type !== 'user') return
      const [, count = '1', everyMs = '0'] = /print (\d+) (\d+)/.exec(frame.message.content[0].text) ?? []
      void print(Number(count), Number(everyMs))
    })
    .on('close', () => process.exit(0))
}
