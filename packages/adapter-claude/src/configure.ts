/** Changes to a running process (RES-7): model, mode and thinking at once; a sandbox level is made of launch flags. */
import type { BackendConfiguration, Sandbox } from '@roundhouse/backend-types'
import { requireEffort, requireMode } from './program/launch'
import type { ClaudeSession } from './session'

const sandboxes = new WeakMap<ClaudeSession, Sandbox>()

export function rememberSandbox(session: ClaudeSession, sandbox: Sandbox): void {
  sandboxes.set(session, sandbox)
}

/** Everything is checked before anything is changed. Resolves to what needs a restart. */
export async function configure(
  session: ClaudeSession,
  change: BackendConfiguration,
): Promise<Array<keyof BackendConfiguration>> {
  const current = sandboxes.get(session) ?? 'workspace-write'
  if (change.mode !== undefined) requireMode(change.mode, change.sandbox ?? current)
  if (change.thinking !== undefined) requireEffort(change.thinking)

  const restart: Array<keyof BackendConfiguration> = []
  if (change.model !== undefined) await session.request({ subtype: 'set_model', model: change.model })
  if (change.thinking !== undefined) {
    await session.request({ subtype: 'apply_flag_settings', settings: { effortLevel: change.thinking } })
  }
  if (change.mode !== undefined) {
    // The CLI switches to bypass only where it was launched with it.
    if (change.mode === 'bypassPermissions') restart.push('mode')
    else await session.setMode(change.mode)
  }
  if (change.sandbox !== undefined && change.sandbox !== current) restart.push('sandbox')
  return restart
}
