/**
 * The command with which a person calls this program from any folder: its name if it is installed, otherwise the way it was
 * started.
 */
import path from 'node:path'
import { quoteForShell } from '../../policy/judge'

export function ownCommand([node = 'node', script = '']: readonly string[], env: NodeJS.ProcessEnv): string {
  const home = env.ROUNDHOUSE_AGENT_HOME
  const place = home === undefined ? '' : `ROUNDHOUSE_AGENT_HOME=${quoteForShell(path.resolve(home))} `
  const isInstalled = path.extname(script) === ''
  return place + (isInstalled ? 'roundhouse-agent' : `${quoteForShell(node)} ${quoteForShell(path.resolve(script))}`)
}
