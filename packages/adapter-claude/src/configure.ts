/** Changes to a running process (RES-7): model, mode and thinking at once; a sandbox level is made of launch flags. */
import type { BackendConfiguration, Sandbox } from '@roundhouse/backend-types'
import { requireEffort, requireMode } from './program/launch'
import type { Frame } from './wire/frames'

interface Configurable {
  request(request: Frame): Promise<Frame>
  setMode(mode: string): Promise<void>
}

/** Everything is checked before anything is changed. Resolves to what needs a restart. */
export async function configure(
  session: Configurable,
  change: BackendConfiguration,
  current: Sandbox,
): Promise<Array<keyof BackendConfiguration>> {
  if (change.mode !== undefined) requireMode(change.mode, change.sandbox ?? current)
  if (change.thinking !== undefined) requireEffort(change.thinking)

  const restart: Array<keyof BackendConfiguration> = []
  if (change.model !== undefined) await session.request({ subtype: 'set_model', model: change.model })
  if (change.thinking !== undefined) {
    await session.request({ subtype: 'apply_flag_settings', settings: { effortLevel: change.thinking } })
  }
  if (change.maxThinkingTokens !== undefined) {
    await session.request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: change.maxThinkingTokens })
  }
  if (change.mode !== undefined) {
    // The CLI switches to bypass only where it was launched with it.
    if (change.mode === 'bypassPermissions') restart.push('mode')
    else await session.setMode(change.mode)
  }
  if (change.sandbox !== undefined && change.sandbox !== current) restart.push('sandbox')
  return restart
}
