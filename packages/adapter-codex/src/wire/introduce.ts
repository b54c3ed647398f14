/** The first words to an app-server. */
import { type Rpc, RpcError } from '@roundhouse/adapter-kit'
import { asRecord, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError } from '@roundhouse/backend-types'

const clientInfo = { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' }

/** It leaves out the `jsonrpc` member. */
export const dialect = { program: 'Codex' }

/** Resolves to what it says of itself. */
export async function introduce(rpc: Rpc): Promise<Json> {
  // The experimental interface is what ends a command that an interrupted turn leaves running.
  const capabilities = { experimentalApi: true, requestAttestation: false }
  const initialized = asRecord(await rpc.request('initialize', { clientInfo, capabilities }))
  rpc.notify('initialized')
  return initialized
}

export async function requireLogin(rpc: Rpc): Promise<void> {
  const answer = asRecord(await rpc.request('account/read', {}).catch(ignoreUnknownMethod))
  if (answer.account !== null || answer.requiresOpenaiAuth !== true) return
  throw new CodedError('BACKEND_AUTH', 'Codex is not logged in on this machine. Run: codex login')
}

/** An older program without the method: the question is then left open. */
function ignoreUnknownMethod(error: unknown): unknown {
  if (error instanceof RpcError) return {}
  throw error
}
