/** The handshake with an app-server. Resolves to what it says of itself. */
import type { Rpc } from '@roundhouse/adapter-kit'
import { asRecord, type Json } from './read'

const clientInfo = { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' }

/** It leaves out the `jsonrpc` member. */
export const dialect = { program: 'Codex' }

export async function introduce(rpc: Rpc): Promise<Json> {
  // The experimental interface is what ends a command that an interrupted turn leaves running.
  const capabilities = { experimentalApi: true, requestAttestation: false }
  const initialized = asRecord(await rpc.request('initialize', { clientInfo, capabilities }))
  rpc.notify('initialized')
  return initialized
}
