import type { PermissionDecision, PermissionRequest } from '@roundhouse/backend-types'
import type { BridgeReply } from '@roundhouse/backend-types/bridge'
import { expect, it } from 'vitest'
import { defaultPolicy } from '../../policy/policy'
import { Callbacks, realTimer } from './callbacks'
import { type AskPorts, SessionAsks } from './session-asks'

/** A question of a program that runs its call as it was asked, or not at all. */
async function answered(payload: object) {
  const said: BridgeReply[] = []
  const decisions: PermissionDecision[] = []
  const callbacks = new Callbacks(60_000, realTimer)
  const place = { workDir: '/code', folders: ['/code'], rules: { ...defaultPolicy(), roots: ['/code'], paused: false } }
  const ports = { sessionId: 's1', callbacks, say: (reply: BridgeReply) => said.push(reply), newId: () => 'q1' }
  const asks = new SessionAsks({ ...ports, place: () => place, log: () => {} } as unknown as AskPorts)
  const request = { callId: 'c1', toolName: 'shell', input: { command: 'npm ci' } } as PermissionRequest
  const over = asks.permission(request, {}, async (decision) => void decisions.push(decision))
  expect(callbacks.answer('q1', payload)).toBeNull()
  await over
  return { said, decisions }
}

it('a changed input that the program cannot run is denied, and the client hears why', async () => {
  const { said, decisions } = await answered({ behavior: 'allow', updated_input: { command: 'npm test' } })
  expect(decisions).toMatchObject([{ callId: 'c1', decision: 'deny' }])
  expect(said.slice(1)).toEqual([
    {
      type: 'error',
      id: 'q1',
      session_id: 's1',
      payload: { code: 'INVALID_MESSAGE', message: 'This program cannot run a changed input. The call is denied.' },
    },
  ])
})

it('an input that the client sends back as it was is no change', async () => {
  const { said, decisions } = await answered({ behavior: 'allow', updated_input: { command: 'npm ci' } })
  expect(decisions).toEqual([{ callId: 'c1', decision: 'allow' }])
  expect(said).toHaveLength(1)
})
