/**
 * A program for `starved.test.ts`, started with a small limit of open files: it takes all descriptors but a few, and does
 * what the agent does then. Prints what came of each, as JSON. A failure that nobody hears of ends it.
 */
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { toCodedError } from '@roundhouse/backend-types'
import { readAs } from '../host-contract/host-door'
import { launchHost } from '../host-contract/launch'
import { LaunchSpec } from '../host-contract/launch-spec'
import { auditHeadsFile } from '../identity/audit-heads-file'
import { readIdentity } from '../identity/identity-file'
import { readNextKey } from '../identity/rotate-key'
import { PolicyStore } from '../policy/policy-store'
import { realRoots } from '../policy/real-roots'
import { Guard } from '../processes/guard'
import { loadAdapter } from '../session-host/program/adapter-loader'

const [, , folder = '', what = ''] = process.argv
const held: number[] = []

/** Leaves so many descriptors. */
function starve(room: number): void {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'))
  } catch {
    for (let left = room; left > 0; left -= 1) closeSync(held.pop() as number)
  }
}

function feed(): void {
  for (const handle of held.splice(0)) closeSync(handle)
}

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'done'
  } catch (error) {
    return toCodedError(error).code
  }
}

/** With none, one, two ... descriptors left. */
async function withRooms(work: () => unknown): Promise<string[]> {
  const codes: string[] = []
  for (let room = 0; room < 12; room += 1) {
    starve(room)
    codes.push(await codeOf(work))
    feed()
  }
  return codes
}

function launchSpec() {
  const sessionDir = path.join(folder, 'session')
  return {
    version: 1 as const,
    sessionId: 'ses_starved',
    sessionDir,
    socketPath: path.join(folder, 's.sock'),
    launchId: '0123456789abcdef',
    mode: 'run' as const,
    idleMs: 1_000,
    policy: { roots: [folder], maxSandbox: 'read-only' as const, allowBypassPermissions: false },
    backends: {},
    digestKeyPath: path.join(folder, 'digest.key'),
  }
}

async function launch(): Promise<void> {
  const hostEntry = path.join(folder, 'host.cjs')
  const options = { node: process.execPath, hostEntry, launch: launchSpec(), socketKey: Buffer.alloc(32), env: {} }
  await launchHost(options).exited
}

const spawnWith = (kind: 'claude' | 'codex' | 'scripted') => async () => {
  const place = { env: { PATH: '/usr/bin:/bin', HOME: folder }, scratchDir: folder, binaryPath: '/bin/true' }
  const adapter = await loadAdapter({ kind }, place, path.join(folder, 'host.cjs'))
  await adapter.spawn({ sessionId: 'ses_starved', backend: kind, workDir: folder } as never)
}

async function guard(): Promise<boolean> {
  const watched = new Guard(path.join(folder, 'host.cjs'), folder, 'ses_starved')
  starve(0)
  watched.watch()
  await new Promise((resolve) => setImmediate(resolve))
  feed()
  while (watched.pid === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  watched.dismiss()
  return true
}

function files() {
  const place = (name: string) => path.join(folder, name)
  const store = new PolicyStore(place('config/policy.json'), place('home'), realRoots)
  const heads = auditHeadsFile(place('heads.json'))
  return {
    identity: () => readIdentity(place('identity.json')),
    nextKey: () => readNextKey(place('next-key.json')),
    policy: () => store.current(),
    launch: () => readAs(LaunchSpec, place('session/launch.json')),
    heads: () => heads.keep({ hubEpoch: 'e', id: 1, hash: 'a'.repeat(64), at: 1, count: 1, signature: 's' }),
  }
}

async function read(): Promise<Record<string, string[]>> {
  const said: Record<string, string[]> = {}
  for (const [name, work] of Object.entries(files())) {
    starve(0)
    const before = await codeOf(work)
    feed()
    said[name] = [before, await codeOf(work)]
  }
  return said
}

mkdirSync(path.join(folder, 'home'), { recursive: true })
writeFileSync(path.join(folder, 'host.cjs'), 'process.exit(0)')
const works: Record<string, () => Promise<unknown>> = {
  launch: () => withRooms(launch),
  claude: () => withRooms(spawnWith('claude')),
  codex: () => withRooms(spawnWith('codex')),
  scripted: () => withRooms(spawnWith('scripted')),
  guard,
  files: read,
}
// Loaded before there is nothing left to load it with.
for (const kind of ['claude', 'codex', 'scripted'] as const) await codeOf(spawnWith(kind))
// A host does not keep its starter alive.
setInterval(() => {}, 1_000)
process.stdout.write(JSON.stringify(await works[what]?.()))
process.exit(0)
