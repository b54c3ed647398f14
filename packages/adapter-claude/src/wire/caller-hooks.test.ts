import type { DirectCaller, HookCall } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { CallerHooks } from './caller-hooks'
import { commandHooks } from './command-hook'
import type { Frame } from './frames'

const matchers = { PreToolUse: [{ matcher: 'Bash' }, {}], Stop: [{}] }
const called = (id: string, callbackId: string) => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'hook_callback', callback_id: callbackId, input: { tool_name: 'Bash' }, tool_use_id: 'call' },
})
const soon = () => new Promise((resolve) => setImmediate(resolve))

function hooks(hook: DirectCaller['hook']) {
  const written: Frame[] = []
  return { hooks: new CallerHooks(matchers, { hook }, (frame) => written.push(frame)), written }
}

it('are registered beside our own, and wait as long as the caller does', () => {
  const { registered } = hooks(async () => ({})).hooks
  const timeout = 7 * 86_400
  expect(registered).toEqual({
    PreToolUse: [
      ...commandHooks.PreToolUse,
      { matcher: 'Bash', hookCallbackIds: ['caller-1'], timeout },
      { hookCallbackIds: ['caller-2'], timeout },
    ],
    Stop: [{ hookCallbackIds: ['caller-3'], timeout }],
  })
  expect(new CallerHooks({}, undefined, () => {}).registered).toEqual(commandHooks)
})

it('give the caller the event and the program its answer, unchanged', async () => {
  const calls: HookCall[] = []
  const { hooks: all, written } = hooks(async (call) => {
    calls.push(call)
    return { continue: false, stopReason: 'enough' }
  })
  expect(all.takes(called('R', 'caller-3'))).toBe(true)
  await soon()
  expect(calls).toMatchObject([{ event: 'Stop', input: { tool_name: 'Bash' }, callId: 'call' }])
  expect(written).toEqual([
    {
      type: 'control_response',
      response: { subtype: 'success', request_id: 'R', response: { continue: false, stopReason: 'enough' } },
    },
  ])
})

it('leave alone what is ours', () => {
  const { hooks: all } = hooks(async () => ({}))
  expect(all.takes(called('R', 'command'))).toBe(false)
  expect(all.takes({ type: 'control_cancel_request', request_id: 'R' })).toBe(false)
  expect(all.takes({ type: 'assistant' })).toBe(false)
})

it('that the program withdrew are told so, and answered nothing', async () => {
  let call: HookCall | undefined
  let answer = (_: Record<string, unknown>) => {}
  const { hooks: all, written } = hooks((asked) => {
    call = asked
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  all.takes(called('R', 'caller-1'))
  expect(all.takes({ type: 'control_cancel_request', request_id: 'R' })).toBe(true)
  expect(call?.withdrawn.aborted).toBe(true)
  answer({})
  await soon()
  expect(written).toEqual([])
})

it('that fail are an error to the program, which goes on', async () => {
  const { hooks: all, written } = hooks(async () => {
    throw new Error('no')
  })
  all.takes(called('R', 'caller-1'))
  await soon()
  expect(written).toMatchObject([{ response: { subtype: 'error', error: 'no' } }])
})
