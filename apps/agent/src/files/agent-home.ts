/**
 * The agent's folders: `state/` belongs to the agent, `config/` to the owner. One function names every path, so that no
 * other file joins paths by hand.
 */
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { InTheWay, requireOwnFile } from '@roundhouse/owner'
import { codedIfInTheWay } from './read-if-there'

/** The agent's key, and what it knows of its hub. */
export interface IdentityFiles {
  identityFile: string
  /** There while the key is being changed. */
  nextKeyFile: string
  keyLockFile: string
  chainFile: string
  /** Heads of the hub's audit log, as the hub signed them. */
  auditHeadsFile: string
}

/** What the owner allows. */
export interface PolicyFiles {
  policyFile: string
  /** Held while a command changes the policy. */
  policyLockFile: string
  /** There while the machine is paused. */
  pauseFile: string
  /** A file for each rule of a folder (PERM-13). */
  rulesFolder: string
}

/** What the daemon keeps for itself. */
export interface DaemonFiles {
  daemonFile: string
  /** Which folder the state was in last (`home-place.ts`). */
  placeFile: string
  lockFile: string
  indexFile: string
  digestKeyFile: string
  verbsLog: string
  /** The models that programs named, a file for each program. */
  modelsFolder: string
}

export interface AgentHome extends IdentityFiles, PolicyFiles, DaemonFiles {
  home: string
  state: string
  config: string
  sessions: string
  /** A folder for each session that a bridge runs, for as long as it runs. */
  bridges: string
  /** A note for each session that is being erased. */
  erasing: string
}

export function agentHome(env: Record<string, string | undefined>): AgentHome {
  const home = path.resolve(env.ROUNDHOUSE_AGENT_HOME || path.join(os.homedir(), '.roundhouse-agent'))
  const state = path.join(home, 'state')
  const config = path.join(home, 'config')
  return {
    home,
    state,
    config,
    sessions: path.join(state, 'sessions'),
    bridges: path.join(state, 'bridges'),
    erasing: path.join(state, 'erasing'),
    identityFile: path.join(state, 'identity.json'),
    nextKeyFile: path.join(state, 'next-key.json'),
    keyLockFile: path.join(state, 'key.lock'),
    chainFile: path.join(state, 'chain'),
    auditHeadsFile: path.join(state, 'audit-heads.json'),
    policyFile: path.join(config, 'policy.json'),
    policyLockFile: path.join(state, 'policy.lock'),
    pauseFile: path.join(config, 'paused'),
    rulesFolder: path.join(config, 'rules'),
    daemonFile: path.join(state, 'daemon.json'),
    placeFile: path.join(state, 'place.json'),
    lockFile: path.join(state, 'daemon.lock'),
    indexFile: path.join(state, 'index.db'),
    digestKeyFile: path.join(state, 'digest.key'),
    verbsLog: path.join(state, 'verbs.log'),
    modelsFolder: path.join(state, 'models'),
  }
}

/** Short, and another one for every home. */
export const homeMark = ({ home }: AgentHome): string => createHash('sha256').update(home).digest('hex').slice(0, 8)

/** STORE-4: the agent's own files, also those that an earlier release or a copy left open. The owner's `config` is theirs. */
function keepStatePrivate({ state }: AgentHome): void {
  const files = readdirSync(state, { withFileTypes: true }).filter((entry) => entry.isFile())
  close(state, 0o700)
  for (const { name } of files) close(path.join(state, name), 0o600)
}

/** A folder whose mode we cannot change we cannot write either; the write reports that. */
function close(place: string, mode: number): void {
  try {
    if (lstatSync(place).mode & 0o077) chmodSync(place, mode)
  } catch {}
}

/** State and config folders exist, are private, and really take a file; and nothing but files is where files belong; otherwise `STATE_UNWRITABLE` with the fix. */
export function requireWritableHome(home: AgentHome, probe: (file: string) => void): void {
  for (const folder of [home.state, home.sessions, home.config]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      probe(path.join(folder, '.probe'))
    } catch (cause) {
      if (cause instanceof InTheWay) throw codedIfInTheWay(cause)
      throw new CodedError(
        'STATE_UNWRITABLE',
        `The agent cannot write to the folder ${folder}. Give it to ${os.userInfo().username} (chown -R), or set ROUNDHOUSE_AGENT_HOME to another folder.`,
        { folder },
        cause,
      )
    }
  }
  keepStatePrivate(home)
  requireOwnFiles(home)
}

/** STORE-5: files that cannot be recreated. Reported at the start, not by the first session that needs them. */
function requireOwnFiles({ identityFile, nextKeyFile, chainFile, auditHeadsFile, digestKeyFile, verbsLog }: AgentHome) {
  try {
    for (const file of [identityFile, nextKeyFile, chainFile, auditHeadsFile, digestKeyFile, verbsLog])
      requireOwnFile(file)
  } catch (cause) {
    throw codedIfInTheWay(cause)
  }
}
