// The agent of npm start: it joins the local hub once, with one allowed folder that npm start creates.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot } from '../common/paths.mjs'
import { isAlive, readJson } from '../common/process-facts.mjs'
import { mustRun, PlainError } from '../common/run.mjs'

const agentProgram = inRoot('apps/agent/dist/main.js')
export const agentCommand = (...args) => [process.execPath, agentProgram, ...args]
export const daemonFile = (agentHome) => path.join(agentHome, 'state', 'daemon.json')

/** Sessions whose host has not said good-bye: it takes its file away at the end. */
export function hasHosts(agentHome) {
  const sessions = path.join(agentHome, 'state', 'sessions')
  return (
    existsSync(sessions) && readdirSync(sessions).some((name) => existsSync(path.join(sessions, name, 'host.json')))
  )
}

/** As its policy says now; none where that cannot be read, since the agent allows nothing then. */
export function allowedFolders(agentHome) {
  const roots = readJson(path.join(agentHome, 'config', 'policy.json'))?.roots
  return Array.isArray(roots) ? roots.filter((root) => typeof root === 'string') : []
}

// As packages/keys has it, which plain JavaScript cannot import.
const fingerprintOf = (publicKey) => createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex')
const bare = (fingerprint) => fingerprint.replace(/[^0-9a-f]/gi, '').toLowerCase()

/** What has to happen before the daemon may start. Pure. `identity` is the agent's own file, or null. */
export function planJoin(identity, hub) {
  if (identity === null) return 'join'
  if (fingerprintOf(identity.hubPublicKey) !== bare(hub.hubKeyFingerprint)) return 'other hub'
  return identity.hubUrl === hub.url ? 'joined' : 'moved'
}

async function join({ agentHome, dataDir, workspace }, hub) {
  const offer = readJson(path.join(dataDir, 'local-enrollment.json'))
  if (offer === null) throw new PlainError('The hub did not offer an enrollment for the local agent; see its log.')
  const tokenFile = path.join(agentHome, '.token')
  mkdirSync(agentHome, { recursive: true, mode: 0o700 })
  writeFileSync(tokenFile, offer.token, { mode: 0o600 })
  const env = { ROUNDHOUSE_AGENT_HOME: agentHome }
  try {
    const args = ['join', hub.url, '--fingerprint', offer.fingerprint, '--token-file', tokenFile, '--name', 'local']
    await mustRun('Joining the local agent to the hub', agentCommand(...args), { env })
    mkdirSync(workspace, { recursive: true })
    await mustRun(`Allowing ${workspace}`, agentCommand('allow', workspace), { env })
  } finally {
    rmSync(tokenFile, { force: true })
  }
}

function readIdentity(file) {
  if (!existsSync(file)) return null
  const identity = readJson(file)
  if (typeof identity?.hubPublicKey === 'string') return identity
  throw new PlainError(`The local agent's identity cannot be read: ${file}. Restore it, or move it away to join again.`)
}

/** A crash leaves the old file or the new one. */
function replaceFile(file, text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Joins where needed. The workspace is allowed only then: later the policy is the owner's own, and left alone. */
export async function ensureJoined(config, hub) {
  const file = path.join(config.agentHome, 'state', 'identity.json')
  const identity = readIdentity(file)
  switch (planJoin(identity, hub)) {
    case 'join':
      await join(config, hub)
      return
    case 'other hub':
      throw new PlainError(
        `The agent in ${config.agentHome} belongs to another hub. Move that folder away to join this one, or set ROUNDHOUSE_AGENT_HOME to another one.`,
      )
    case 'moved':
      // An agent that runs there is another start's, which has the same hub in another folder: a copy of its data.
      if (isAlive(readJson(daemonFile(config.agentHome))?.pid)) return
      // Same hub, another port: the agent signs the hub's address, so it has to know the present one. The pinned
      // key stays, hence another hub at that address would still be refused.
      replaceFile(file, `${JSON.stringify({ ...identity, hubUrl: hub.url }, null, 2)}\n`)
  }
}
