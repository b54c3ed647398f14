/** Changes to a running process (RES-7): model, mode and thinking at once; a sandbox level is made of launch flags. */
import { type BackendConfiguration, CodedError, type Sandbox } from '@roundhouse/backend-types'
import { requireEffort, requireMode } from './program/launch'
import { codeOf } from './translate/failures'
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
  if (change.model !== undefined) await setModel(session, change.model)
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

/** The CLI asks the model service before it changes the model, and stays with the earlier one if the service does not answer (CAP-4). */
async function setModel(session: Configurable, model: string): Promise<void> {
  try {
    await session.request({ subtype: 'set_model', model })
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'BACKEND_ERROR') throw error
    const text = error.message
    const message = text.includes(model) ? text : `The model "${model}" was not set: ${text}`
    throw new CodedError(codeOf({ text }), message, { field: 'model', model }, error)
  }
}
