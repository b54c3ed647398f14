/** Where Claude Code keeps what is the owner's: settings, conversations, to-do lists. */
import { join } from 'node:path'

export function configFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.CLAUDE_CONFIG_DIR ?? (env.HOME === undefined ? undefined : join(env.HOME, '.claude'))
}
