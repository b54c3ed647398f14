import { CodedError } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
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
  const { session, said } = interrupting({ adapter: { interrupt }, process: {} } as unknown as Running)
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
