/** `status`: shows what runs here, from files alone. Returns true if a daemon runs. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { shortFingerprint, toCodedError } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import { readDaemonFile } from '../daemon/home/daemon-file'
import { isStateLocked } from '../daemon/home/state-lock'
import type { AgentHome } from '../files/agent-home'
import { sessionFiles } from '../host-contract/paths'
import { readIdentity } from '../identity/identity-file'
import { PauseSwitch } from '../policy/pause'
import { PolicyStore } from '../policy/policy-store'
import { realRoots } from '../policy/real-roots'

export function status(home: AgentHome): { text: string; running: boolean } {
  const identity = readIdentity(home.identityFile)
  const running = existsSync(home.lockFile) && isStateLocked(home.lockFile)
  const daemon = running ? readDaemonFile(home.daemonFile) : null
  const since = daemon ? `pid ${daemon.pid}, since ${new Date(daemon.startedAt).toISOString()}` : 'starting'
  const link = daemon?.link ?? 'not connected'
  const rows = [
    ['Machine', identity ? `${identity.name} (${identity.agentId})` : 'has not joined a hub'],
    ['Hub', identity ? `${identity.hubUrl}, ${running ? link : 'the agent does not run'}` : '-'],
    ...(identity ? [['Key', shortFingerprint(fingerprintOf(identity.publicKey))]] : []),
    ['Agent', running ? `runs (${since})` : 'does not run; start it with: roundhouse-agent up'],
    ...(new PauseSwitch(home.pauseFile).since() === null
      ? []
      : [['Paused', 'yes; to continue: roundhouse-agent resume']]),
    ['Folders', foldersOf(home)],
    ['Sessions', sessionsOf(home)],
    ['State', home.home],
  ]
  return { text: rows.map(([name = '', value]) => `${name.padEnd(9)} ${value}`).join('\n'), running }
}

function foldersOf(home: AgentHome): string {
  try {
    return new PolicyStore(home.policyFile, home.home, realRoots).current().roots.join(', ') || 'none allowed yet'
  } catch (error) {
    return toCodedError(error).message
  }
}

function sessionsOf(home: AgentHome): string {
  if (!existsSync(home.sessions)) return '0'
  const all = readdirSync(home.sessions)
  const live = all.filter((sessionId) => existsSync(sessionFiles(path.join(home.sessions, sessionId)).host))
  return `${all.length}, of which ${live.length} with a host`
}
