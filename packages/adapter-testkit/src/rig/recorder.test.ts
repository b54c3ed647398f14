import type { BackendAdapter, BackendOutput, BackendProcess, PermissionRequest } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { allowAll, collect } from './recorder'

/** An adapter whose events the test makes up. */
function stage() {
  const handlers: Record<string, (...values: never[]) => void> = {}
  const on = (name: string) => (_: BackendProcess, handler: (...values: never[]) => void) => {
    handlers[name] = handler
  }
  const process: BackendProcess = { id: 'p', workDir: '/', kill: async () => undefined, isAlive: () => true }
  const decided: string[] = []
  const adapter = {
    type: 'made-up',
    send: () => undefined,
    onOutput: on('output'),
    onPermissionRequest: on('ask'),
    onTurnComplete: on('complete'),
    onExit: on('exit'),
    respondToPermission: async (_: BackendProcess, { callId }: { callId: string }) => {
      decided.push(callId)
    },
  } as unknown as BackendAdapter
  const emit = (name: string, ...values: unknown[]) => handlers[name]?.(...(values as never[]))
  return { recorder: collect(adapter, process), emit, decided }
}

const text = (value: string): BackendOutput => ({ kind: 'assistant_text', text: value })
const ask = (callId: string): PermissionRequest => ({ callId, toolName: 'T', input: {} })

async function failureOf(waiting: Promise<unknown>): Promise<string> {
  return waiting.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )
}

describe('the recorder', () => {
  it('finds an event that is already there, and one that comes later', async () => {
    const { recorder, emit } = stage()
    const later = recorder.output('assistant_text')
    emit('output', text('one'))
    expect(await later).toEqual(text('one'))
    expect(await recorder.output('assistant_text')).toEqual(text('one'))
  })

  it('looks only behind the given place', async () => {
    const { recorder, emit } = stage()
    emit('output', text('one'))
    const second = recorder.output('assistant_text', recorder.events.length)
    emit('output', text('two'))
    expect(await second).toEqual(text('two'))
  })

  it('fails with everything it saw when the process exits first', async () => {
    const { recorder, emit } = stage()
    const waiting = failureOf(recorder.wait('turn_completed'))
    emit('output', text('last words'))
    emit('exit', 1, { signal: null, stderrTail: '' })
    expect(await waiting).toMatch(/exited without[\s\S]*last words/)
    expect(await failureOf(recorder.wait('ask'))).toMatch(/exited without/)
  })

  it('decides each ask of a turn once, and ends with the turn', async () => {
    const { recorder, emit, decided } = stage()
    const turn = recorder.turn('go', allowAll)
    emit('ask', ask('a'))
    emit('ask', ask('b'))
    emit('output', text('done'))
    while (decided.length < 2) await Promise.resolve()
    emit('complete', { reason: 'completed' })
    emit('output', text('of the next turn'))
    expect(await turn).toMatchObject({ text: 'done', asks: [ask('a'), ask('b')], info: { reason: 'completed' } })
    expect(decided).toEqual(['a', 'b'])
  })

  it('fails a turn that asks although it has no decider', async () => {
    const { recorder, emit } = stage()
    const turn = failureOf(recorder.turn('go'))
    emit('ask', ask('a'))
    expect(await turn).toMatch(/unexpected permission request/)
  })
})
