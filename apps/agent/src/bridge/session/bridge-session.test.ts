import { CodedError } from '@roundhouse/backend-types'
import { expect, it, vi } from 'vitest'
import { BridgeSession, type SessionPorts } from './bridge-session'
import type { Running } from './program'

/** Of this session, nothing but its running program is asked for. */
function interrupting(running: Running | null): { session: BridgeSession; said: unknown[] } {
  const said: unknown[] = []
  const ports = { id: 's1', say: (message: unknown) => void said.push(message), program: { running } }
  return { session: new BridgeSession(ports as unknown as SessionPorts), said }
}

it('an interrupt that the program refuses is INTERRUPT_FAILED, with the reason', async () => {
  const interrupt = async () => {
    throw new CodedError('BACKEND_TIMEOUT', 'It did not answer.')
  }
  const { session, said } = interrupting({
    adapter: { interrupt },
    process: { isAlive: () => true },
  } as unknown as Running)
  await session.interrupt('i1')
  expect(said).toMatchObject([
    { type: 'error', id: 'i1', session_id: 's1', payload: { code: 'INTERRUPT_FAILED', message: 'It did not answer.' } },
  ])
})

it('an interrupt of a session without a program has nothing to do', async () => {
  const { session, said } = interrupting(null)
  await session.interrupt('i1')
  expect(said).toEqual([{ type: 'session.interrupted', id: 'i1', session_id: 's1', payload: {} }])
})

/** A program whose turns end when the test says so, some time after the interrupt was sent. */
function turning() {
  const said: Array<{ type: string; id?: string; payload: Record<string, unknown> }> = []
  const sent: string[] = []
  let interrupts = 0
  let end = () => {}
  let ask = (_request: object) => {}
  const denied: string[] = []
  const adapter = {
    send: (_process: unknown, text: string) => void sent.push(text),
    interrupt: async () => {
      interrupts += 1
    },
    onOutput: () => {},
    onPermissionRequest: (_process: unknown, heard: (request: object) => void) => {
      ask = heard
    },
    onTurnComplete: (_process: unknown, heard: (info: object) => void) => {
      end = () => heard({ reason: 'interrupted' })
    },
  }
  const running = { adapter, process: { isAlive: () => true }, procId: 'p', commands: [] } as unknown as Running
  const starts: Array<(running: Running) => void> = []
  const program = {
    running: null as Running | null,
    ensure: () => {
      if (program.running) return Promise.resolve(program.running)
      return new Promise<Running>((resolve) => starts.push(resolve))
    },
    conversationLasts: () => {},
  }
  const made = {
    begin: () => [{ type: 'system' }],
    end: () => [{ type: 'result' }],
    denied: ({ callId }: { callId: string }) => void denied.push(callId),
  }
  const asks = {
    turnEnded() {},
    permission: (_request: object, _adapter: object, respond: (decision: object) => void) =>
      respond({ decision: 'deny' }),
  }
  const ports = { id: 's1', say: (message: never) => void said.push(message), program, made, asks }
  const session = new BridgeSession(ports as unknown as SessionPorts)
  session.wire(running)
  const start = () => {
    program.running = running
    for (const resolve of starts.splice(0)) resolve(running)
  }
  const types = () => said.map(({ type, id, payload }) => (type === 'error' ? `no ${id}` : (id ?? `${payload.type}`)))
  return {
    session,
    sent,
    types,
    start,
    denied,
    end: () => end(),
    ask: (it: object) => ask(it),
    interrupts: () => interrupts,
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('an interrupt is answered behind the last frame of its turn, and before the first one of the next', async () => {
  const { session, sent, types, start, end } = turning()
  start()
  session.send({ id: 'a', text: 'First.' })
  await settled()
  void session.interrupt('i1')
  session.send({ id: 'b', text: 'Second.' })
  await settled()
  expect(types()).toEqual(['system'])
  end()
  await settled()
  expect(types()).toEqual(['system', 'result', 'i1', 'system'])
  expect(sent).toEqual(['First.', 'Second.'])
})

it('a second interrupt of one turn leaves the next turn alone', async () => {
  const { session, sent, types, start, end, interrupts } = turning()
  start()
  session.send({ id: 'a', text: 'First.' })
  await settled()
  void session.interrupt('i1')
  session.send({ id: 'b', text: 'Second.' })
  void session.interrupt('i2')
  await settled()
  end()
  await settled()
  expect(sent).toEqual(['First.', 'Second.'])
  expect(types()).toEqual(['system', 'result', 'i1', 'i2', 'system'])
  expect(interrupts()).toBe(1)
})

it('an interrupt takes back the prompt whose program still starts, and no other', async () => {
  const { session, sent, types, start, interrupts } = turning()
  session.send({ id: 'a', text: 'First.' })
  session.send({ id: 'b', text: 'Second.' })
  await session.interrupt('i1')
  expect(types()).toEqual(['no a', 'i1'])
  start()
  await settled()
  expect(sent).toEqual(['Second.'])
  expect(types()).toEqual(['no a', 'i1', 'system'])
  expect(interrupts()).toBe(0)
})

it('an interrupt that comes with its prompt ends the turn of that prompt', async () => {
  const { session, types, start, end, interrupts } = turning()
  start()
  session.send({ id: 'a', text: 'First.' })
  void session.interrupt('i1')
  await settled()
  expect(interrupts()).toBe(1)
  end()
  await settled()
  expect(types()).toEqual(['system', 'result', 'i1'])
})

it('the result of a turn has what was denied in it, by the client or by the policy', async () => {
  const { session, start, ask, denied } = turning()
  start()
  session.send({ id: 'a', text: 'First.' })
  await settled()
  ask({ callId: 'c1', toolName: 'bash', input: { command: 'rm x' } })
  await settled()
  expect(denied).toEqual(['c1'])
})

it('a turn that does not end after an interrupt is INTERRUPT_FAILED', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { session, types, start } = turning()
  start()
  session.send({ id: 'a', text: 'First.' })
  await settled()
  const over = session.interrupt('i1')
  await settled()
  await vi.advanceTimersByTimeAsync(30_000)
  await over
  expect(types()).toEqual(['system', 'no i1'])
  vi.useRealTimers()
})
