/** The one adapter that this session needs, loaded when it is needed: each costs memory for as long as the host lives. */
import { type AdapterContext, type BackendAdapter, CodedError } from '@roundhouse/backend-types'

export async function loadAdapter(
  backend: string,
  context: AdapterContext,
  playerPath: string | undefined,
): Promise<BackendAdapter> {
  switch (backend) {
    case 'scripted': {
      const { createScriptedAdapter } = await import('@roundhouse/adapter-scripted')
      return createScriptedAdapter(context, playerPath === undefined ? {} : { playerPath })
    }
    case 'claude': {
      const { createClaudeAdapter } = await import('@roundhouse/adapter-claude')
      return createClaudeAdapter(context)
    }
    case 'codex': {
      const { createCodexAdapter } = await import('@roundhouse/adapter-codex')
      return createCodexAdapter(context)
    }
    default:
      throw new CodedError('BACKEND_UNAVAILABLE', `There is no backend named ${backend} on this machine.`)
  }
}
