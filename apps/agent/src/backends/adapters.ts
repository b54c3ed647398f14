/**
 * The adapters that this agent has: one row for each, in the order in which a machine lists its backends. An adapter itself is loaded
 * where it is needed, since each costs memory for as long as its process lives.
 */
import { about as claude } from '@roundhouse/adapter-claude/about'
import { about as codex } from '@roundhouse/adapter-codex/about'
import { about as scripted } from '@roundhouse/adapter-scripted/about'
import type { AdapterContext, BackendAbout, BackendAdapter } from '@roundhouse/backend-types'

export interface AdapterRow extends BackendAbout {
  /** `playerPath`: of the player that lies beside the agent's programs. */
  load(context: AdapterContext, playerPath: string | undefined): Promise<BackendAdapter>
  /** Takes away what a killed program left of `AdapterContext.mayLeave`, also where nobody knows whose program that was. */
  removeLeft?(folders: readonly string[]): Promise<void>
}

export const adapters: readonly AdapterRow[] = [
  {
    ...claude,
    load: async (context) => (await import('@roundhouse/adapter-claude')).createClaudeAdapter(context),
  },
  {
    ...codex,
    load: async (context) => (await import('@roundhouse/adapter-codex')).createCodexAdapter(context),
    removeLeft: async (folders) => (await import('@roundhouse/adapter-codex')).removeStrayMounts(folders),
  },
  {
    ...scripted,
    load: async (context, playerPath) =>
      (await import('@roundhouse/adapter-scripted')).createScriptedAdapter(
        context,
        playerPath === undefined ? {} : { playerPath },
      ),
  },
]
